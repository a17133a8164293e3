import Link from 'next/link'
import { stepName, type ToolTitles } from '@/components/dag/words'
import { Alert } from '@/components/ui/alert'
import { ExactTime } from '@/components/ui/relative-time'
import { triesOf } from './names'
import { RUN_LOOKS } from './status'
import { StepItems } from './step-items'
import { StepTurns } from './step-turns'
import { InAndOut } from './step-values'
import type { StepView } from './types'

/** The run whose steps these are. */
export type StepOf = { team: string; id: string; titles: ToolTitles; mapsWithAgents: ReadonlySet<string> }

const isSettled = ({ status }: StepView) => status !== 'queued' && status !== 'running' && status !== 'waiting'

/** What a step did, when it is looked at: tries, the run or the items that it started, what an agent said, what it worked on. */
export function StepDetails({ step, data, of }: { step: StepView; data: boolean; of: StepOf }) {
  const attempts = step.attempts ?? []
  const live = !isSettled(step)
  const agentItems = of.mapsWithAgents.has(step.id)
  return (
    <div className="grid grid-cols-1 gap-4 px-5 pb-5 text-sm md:pl-12">
      <p className="text-muted-foreground">
        {step.startedAt !== null && (
          <>
            {step.attempt <= 1 || step.maxAttempts === null ? 'Started' : `Try ${triesOf(step)} started`} <ExactTime at={step.startedAt} />
          </>
        )}
        {step.finishedAt !== null && (
          <>
            , ended <ExactTime at={step.finishedAt} />
          </>
        )}
        {step.startedAt === null && step.finishedAt === null && 'It has not been reached.'}
      </p>
      {step.notBefore !== null && step.status === 'queued' && (
        <p>
          Next try not before <ExactTime at={step.notBefore} />.
        </p>
      )}
      {step.deferred?.reason === 'steps_per_day' && (
        <p>
          The team has used up its steps for today: it goes on <ExactTime at={step.deferred.until} />.
        </p>
      )}
      {step.notBefore !== null && step.status === 'waiting' && (
        <p>
          It waits until <ExactTime at={step.notBefore} />.
        </p>
      )}
      {step.child !== null && (
        <p>
          It started{' '}
          <Link
            href={`/t/${of.team}/runs/${step.child.id}`}
            className="text-primary rounded-sm underline underline-offset-4 hover:no-underline"
          >
            a run of its own
          </Link>
          : {RUN_LOOKS[step.child.status].word.toLowerCase()}.
        </p>
      )}
      {step.flag && <Alert tone="warning">{FLAGS[step.flag] ?? step.flag}</Alert>}
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {step.turns !== null && <StepTurns of={{ ...of, stepId: step.id, name: stepName(step) }} live={live} />}
      {step.items !== null && step.items.total > 0 && (
        <StepItems of={{ ...of, stepId: step.id, name: stepName(step) }} total={step.items.total} agent={agentItems} live={live} />
      )}
      {data ? (
        <InAndOut of={step} depth={step.items === null ? 2 : 1} />
      ) : (
        <p className="text-muted-foreground">What it worked on is hidden from you.</p>
      )}
    </div>
  )
}

const FLAGS: Record<string, string> = {
  output_truncated: 'It worked, but its output was too large to keep.',
  recorded_by_hand: 'How it ended was recorded by hand: its answer had been lost.',
  output_invalid: 'It worked, but what it returned is not valid and was not kept.',
}

function Attempts({ attempts }: { attempts: NonNullable<StepView['attempts']> }) {
  return (
    <details className="grid grid-cols-1 gap-1">
      <summary className="font-medium">{attempts.length === 1 ? 'One try that failed' : `${attempts.length} tries that failed`}</summary>
      <ol className="mt-1 grid grid-cols-1 gap-1">
        {attempts.map(({ attempt, plugin, startedAt, finishedAt, code, message }) => (
          <li key={`${attempt} ${finishedAt}`} className="break-words">
            Try {attempt},{' '}
            {startedAt !== null && (
              <>
                <ExactTime at={startedAt} /> to{' '}
              </>
            )}
            <ExactTime at={finishedAt} />: {message} <code className="text-muted-foreground text-xs">{code}</code>
            {plugin !== null && <span className="text-muted-foreground text-xs"> by {plugin}</span>}
          </li>
        ))}
      </ol>
    </details>
  )
}
