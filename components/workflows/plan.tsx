import { effectWords } from '@/components/messages'
import type { Answers } from '@/components/shell/trpc'
import { Badge } from '@/components/ui/badge'
import { cn } from '@/components/ui/cn'
import type { DescribedStep } from '@/spec'
import { toolsByStep } from './tools-of'

type Workflow = Answers['workflows']['get']
type Tool = Workflow['tools'][string]

/** What the workflow will do in plain words, nested under decisions and maps, with the effect of each tool it calls. */
export function Plan({ workflow }: { workflow: Pick<Workflow, 'plan' | 'tools' | 'spec'> }) {
  const { lang, notes, steps } = workflow.plan
  return (
    <div lang={lang} className="grid gap-5">
      <Steps steps={steps} number="" depth={0} calls={toolsByStep(workflow.spec)} tools={workflow.tools} />
      <ul className="grid max-w-prose gap-1 border-t pt-4 text-sm text-muted-foreground">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  )
}

type StepsProps = {
  steps: DescribedStep[]
  /** The number of the step that these stand below, with a dot. */ number: string
  /** How many of these steps' siblings stand before them. */ from?: number
  depth: number
  calls: ReadonlyMap<string, string[]>
  tools: Workflow['tools']
}

function Steps({ steps, number, from = 0, depth, calls, tools }: StepsProps) {
  return (
    <ol start={from + 1} className="grid gap-4">
      {steps.map((step, i) => (
        <li key={step.step} className="flex gap-3">
          <span
            aria-hidden
            className={cn(
              'shrink-0 font-semibold text-primary tabular-nums',
              depth === 0 ? 'grid size-7 place-items-center rounded-full border bg-card text-xs' : 'pt-0.5 text-sm',
            )}
          >
            {number}
            {from + i + 1}
          </span>
          <StepWords step={step} number={`${number}${from + i + 1}.`} depth={depth} calls={calls} tools={tools} />
        </li>
      ))}
    </ol>
  )
}

/** Deeper than this nothing is moved to the right: a phone has no more room. */
const INDENTED = 3

function StepWords({ step, number, depth, calls, tools }: Omit<StepsProps, 'steps'> & { step: DescribedStep }) {
  // What a map does for each item has the map's id: the tools stand with it, once.
  const isMap = step.children.some(({ steps }) => steps.some((inner) => inner.step === step.step))
  const called = isMap ? [] : (calls.get(step.step) ?? [])
  const before = (group: number) => step.children.slice(0, group).reduce((sum, { steps }) => sum + steps.length, 0)
  return (
    <div className="grid min-w-0 grow gap-2 pt-0.5">
      <p className="max-w-prose text-pretty">{step.sentence}</p>
      {called.length > 0 && (
        <div lang="en" className="flex flex-wrap gap-1.5">
          {called.map((name) => (
            <ToolBadge key={name} name={name} tool={tools[name] ?? null} />
          ))}
        </div>
      )}
      {step.details.length > 0 && (
        <ul className="max-w-prose list-disc pl-5 text-sm text-muted-foreground">
          {[...new Set(step.details)].map((detail) => (
            <li key={detail}>{detail}</li>
          ))}
        </ul>
      )}
      {step.children.map(({ label, steps }, group) => (
        <div key={`${before(group)} ${label}`} className={cn('grid gap-3', depth < INDENTED && 'border-l-2 pl-4')}>
          <p className="max-w-prose font-medium">{label}</p>
          {steps.length > 0 && <Steps steps={steps} number={number} from={before(group)} depth={depth + 1} calls={calls} tools={tools} />}
        </div>
      ))}
    </div>
  )
}

function ToolBadge({ name, tool }: { name: string; tool: Tool }) {
  if (!tool) return <Badge tone="var(--status-parked)">{name}: missing</Badge>
  return (
    <>
      <EffectBadge effect={tool.effect} title={tool.title} />
      {!tool.enabled && <Badge tone="var(--status-parked)">{tool.title}: switched off</Badge>}
    </>
  )
}

const effectTones = { read: undefined, write: 'var(--status-running)', once: 'var(--status-awaiting)' }

/** reads / writes / once, with what that means on hover. */
export function EffectBadge({ effect, title }: { effect: keyof typeof effectWords; title?: string }) {
  const { word, help } = effectWords[effect]
  return (
    <Badge tone={effectTones[effect]} title={help}>
      {title ? `${title} · ${word.toLowerCase()}` : word}
    </Badge>
  )
}
