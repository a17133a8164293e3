'use client'

import { ChevronRightIcon } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { type Answers, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Duration } from './duration'
import { stoppedWords } from './names'
import { stepLook } from './status'
import { StatusBadge } from './status-badge'
import { StepTurns, type AgentOf } from './step-turns'
import { InAndOut } from './step-values'
import { useReading } from './use-reading'

type Items = Answers['runs']['items']
type Item = Items['rows'][number] & Partial<Extract<Items, { view: 'data' }>['rows'][number]>

const PAGE = 50

/** The items of a map in their order, page by page; each with the run that it started, or with what it worked on. */
export function StepItems({ of, total, agent, live }: { of: AgentOf; total: number; agent: boolean; live: boolean }) {
  const [first, setFirst] = useState(0)
  const { team, id, stepId } = of
  const { value, error } = useReading(`${id} ${stepId} ${first}`, live, () =>
    trpc.runs.items.query({ team, id, stepId, after: first - 1, limit: PAGE }),
  )
  const items: Item[] = value?.rows ?? []
  const last = Math.min(first + PAGE, total)
  return (
    <section aria-label={`Items of ${of.name}`} className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">{total > PAGE ? `Items ${first + 1} to ${last} of ${total}` : 'Items'}</h3>
        {total > PAGE && (
          <span className="flex gap-2">
            <Button variant="secondary" size="sm" disabled={first === 0} onClick={() => setFirst(first - PAGE)}>
              Earlier
            </Button>
            <Button variant="secondary" size="sm" disabled={last === total} onClick={() => setFirst(first + PAGE)}>
              Later
            </Button>
          </span>
        )}
      </div>
      {error !== null && (
        <Alert tone="error" live>
          {error}
        </Alert>
      )}
      {value === null && error === null && <p className="text-muted-foreground">Loading the items…</p>}
      {items.length > 0 && (
        <ol aria-label={`Items of ${of.name}`} className="divide-y rounded-lg border">
          {items.map((item) => (
            <li key={item.item}>
              {item.child === null ? (
                <ItemDetails item={item} of={of} agent={agent} data={value?.view === 'data'} />
              ) : (
                <div className={`${ROW} pl-9`}>
                  <ItemName item={item}>
                    <Link
                      href={`/t/${team}/runs/${item.child.id}`}
                      className="text-primary w-fit rounded-sm underline underline-offset-4 hover:no-underline"
                    >
                      Its run<span className="sr-only"> of item {item.item + 1}</span>
                    </Link>
                  </ItemName>
                  <ItemState item={item} />
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

const ROW = 'flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-3 py-2'

function ItemName({ item, children }: { item: Item; children?: React.ReactNode }) {
  const notes = [
    item.attempt > 1 ? `${item.attempt} tries` : null,
    item.errorMessage ?? (item.errorCode === null ? null : `error: ${item.errorCode}`),
    stoppedWords(item),
    item.undo === null ? null : item.undo === 'succeeded' ? 'undone' : `undo: ${item.undo}`,
  ].filter((note) => note !== null)
  return (
    <span className="grid min-w-0 flex-1 basis-40 grid-cols-1">
      <span className="flex flex-wrap gap-x-3">
        <span className="tabular-nums">Item {item.item + 1}</span>
        {children}
      </span>
      {notes.length > 0 && <span className="text-muted-foreground text-xs break-words">{notes.join(' · ')}</span>}
    </span>
  )
}

function ItemState({ item }: { item: Item }) {
  return (
    <span className="flex items-center gap-3">
      <span className="text-muted-foreground text-xs tabular-nums">
        <Duration from={item.status === 'pending' ? null : item.startedAt} to={item.finishedAt} />
      </span>
      <StatusBadge look={stepLook({ ...item, kind: 'item', port: null })} />
    </span>
  )
}

/** What is inside is drawn when it is first looked at. */
function ItemDetails({ item, of, agent, data }: { item: Item; of: AgentOf; agent: boolean; data: boolean }) {
  const [open, setOpen] = useState(false)
  if (!data && !agent)
    return (
      <div className={`${ROW} pl-9`}>
        <ItemName item={item} />
        <ItemState item={item} />
      </div>
    )
  return (
    <details className="group/item" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="hover:bg-muted/60 flex list-none items-center -outline-offset-2 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon
          aria-hidden
          className="text-muted-foreground ml-3 size-4 shrink-0 transition-transform group-open/item:rotate-90"
        />
        <span className={`${ROW} min-w-0 flex-1 pl-2`}>
          <ItemName item={item} />
          <ItemState item={item} />
        </span>
      </summary>
      {open && (
        <div className="grid grid-cols-1 gap-4 px-3 pb-3 md:pl-9">
          {agent && (
            <StepTurns
              of={{ ...of, item: item.item, name: `item ${item.item + 1} of ${of.name}` }}
              live={item.status === 'running' || item.status === 'queued'}
            />
          )}
          {data && <InAndOut of={item} />}
        </div>
      )}
    </details>
  )
}
