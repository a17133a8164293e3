'use client'

import { ChevronRightIcon } from 'lucide-react'
import { useState } from 'react'
import type { ToolTitles } from '@/components/dag/words'
import { type Answers, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { JsonTree } from '@/components/ui/json-tree'
import { ExactTime } from '@/components/ui/relative-time'
import { Duration } from './duration'
import { STEP_LOOKS } from './status'
import { StatusBadge } from './status-badge'
import { InAndOut, omittedWords } from './step-values'
import { useReading } from './use-reading'

type Turns = Answers['runs']['turns']
type Data = Extract<Turns, { view: 'data' }>['turns'][number]
type Call = Turns['turns'][number]['calls'][number] & Partial<Data['calls'][number]>
type Turn = Omit<Turns['turns'][number], 'calls'> & Partial<Pick<Data, 'text' | 'answer' | 'omitted'>> & { calls: Call[] }

/** Whose conversation: of a step, or of an item of a map. */
export type AgentOf = { team: string; id: string; stepId: string; item?: number; name: string; titles: ToolTitles }

/** What an agent said, turn by turn, and what it called. Whoever may not read data sees how many turns there were and which tools. */
export function StepTurns({ of, live }: { of: AgentOf; live: boolean }) {
  const { team, id, stepId, item = -1, titles } = of
  const { value, error } = useReading(`${id} ${stepId} ${item}`, live, () => trpc.runs.turns.query({ team, id, stepId, item }))
  const turns: Turn[] = value?.turns ?? []
  return (
    <section aria-label={`Conversation of ${of.name}`} className="grid grid-cols-1 gap-2">
      <h3 className="font-medium">Conversation</h3>
      {error !== null && (
        <Alert tone="error" live>
          {error}
        </Alert>
      )}
      {value === null && error === null && <p className="text-muted-foreground">Loading the conversation…</p>}
      {value !== null && turns.length === 0 && (
        <p className="text-muted-foreground">{live ? 'The model is being asked…' : 'The model has not said anything.'}</p>
      )}
      {turns.length > 0 && (
        <ol aria-label={`Turns of ${of.name}`} className="grid grid-cols-1 gap-2">
          {turns.map((turn, i) => (
            <li key={turn.turn} className="grid grid-cols-1 gap-2 rounded-lg border px-3 py-2">
              <p className="text-muted-foreground text-xs">
                Turn {turn.turn}
                {turn.at !== null && (
                  <>
                    , <ExactTime at={turn.at} />
                  </>
                )}
              </p>
              <Said turn={turn} data={value?.view === 'data'} isLast={i === turns.length - 1} />
              {turn.calls.length > 0 && (
                <ul aria-label={`Calls of turn ${turn.turn}`} className="grid grid-cols-1 gap-1">
                  {turn.calls.map((call, n) => (
                    // A reply's calls never change their order.
                    // oxlint-disable-next-line no-array-index-key
                    <li key={n}>
                      <CallRow call={call} data={value?.view === 'data'} titles={titles} />
                    </li>
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function Said({ turn, data, isLast }: { turn: Turn; data: boolean; isLast: boolean }) {
  const answered = turn.calls.length === 0
  return (
    <>
      {turn.text && <LongText text={turn.text} />}
      {typeof turn.omitted === 'number' && <p className="text-muted-foreground">{omittedWords(turn.omitted)}</p>}
      {data && answered && turn.answer !== null && turn.answer !== undefined && <JsonTree value={turn.answer} depth={2} />}
      {!data && answered && isLast && <p>It answered.</p>}
      {answered && !isLast && (
        <p className="text-muted-foreground">The answer did not have the form that was asked for, so it was asked again.</p>
      )}
    </>
  )
}

const LONG = 600

/** Text as it was written; a long one folds. */
function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(text.length <= LONG)
  return (
    <p className="break-words whitespace-pre-wrap">
      {whole ? text : `${text.slice(0, LONG).trimEnd()}…`}
      {!whole && (
        <button type="button" className="text-primary ml-2 underline underline-offset-4" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </p>
  )
}

function CallRow({ call, data, titles }: { call: Call; data: boolean; titles: ToolTitles }) {
  const [open, setOpen] = useState(false)
  const note = call.errorMessage ?? (call.errorCode === null ? null : `error: ${call.errorCode}`)
  const head = (
    <>
      <span className="min-w-0 flex-1 basis-40">
        <span className="break-words">{nameOf(call.tool, titles)}</span>
        {note !== null && <span className="text-muted-foreground block text-xs break-words">{note}</span>}
      </span>
      <span className="flex items-center gap-3">
        <span className="text-muted-foreground text-xs tabular-nums">
          <Duration from={call.startedAt} to={call.finishedAt} />
        </span>
        <StatusBadge look={STEP_LOOKS[call.status]} />
      </span>
    </>
  )
  if (!data) return <div className={ROW}>{head}</div>
  return (
    <details className="group/call bg-muted/40 rounded-md" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={`${ROW} hover:bg-muted/60 list-none rounded-md -outline-offset-2 [&::-webkit-details-marker]:hidden`}>
        <ChevronRightIcon aria-hidden className="text-muted-foreground size-4 shrink-0 transition-transform group-open/call:rotate-90" />
        {head}
      </summary>
      {open && (
        <div className="px-3 pb-3 md:pl-9">
          <InAndOut of={call} />
        </div>
      )}
    </details>
  )
}

const ROW = 'flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5'

function nameOf(tool: string | null, titles: ToolTitles): string {
  if (tool === null) return 'A tool that the workflow does not name'
  return Object.hasOwn(titles, tool) ? (titles[tool] ?? tool) : tool
}
