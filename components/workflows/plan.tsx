import { effectWords } from '@/components/messages'
import type { Answers } from '@/components/shell/trpc'
import { Badge } from '@/components/ui/badge'
import { toolsByStep } from './tools-of'

type Workflow = Answers['workflows']['get']
type Tool = Workflow['tools'][string]

/** What the workflow will do, a sentence a step, with the effect of each tool it calls. */
export function Plan({ workflow }: { workflow: Pick<Workflow, 'steps' | 'tools' | 'spec'> }) {
  const tools = toolsByStep(workflow.spec)
  return (
    <ol className="relative grid gap-0 before:absolute before:top-3 before:bottom-6 before:left-[0.8125rem] before:border-l-2 before:border-dotted before:border-primary/40">
      {workflow.steps.map((step, index) => (
        <li key={step.id} className="relative flex gap-4 pb-4 last:pb-0">
          <span
            aria-hidden
            className="z-10 grid size-7 shrink-0 place-items-center rounded-full border bg-card text-xs font-semibold text-primary tabular-nums"
          >
            {index + 1}
          </span>
          <div className="grid min-w-0 gap-1 pt-0.5">
            <p className="max-w-prose text-pretty">{step.sentence}</p>
            {(tools.get(step.id) ?? []).length > 0 && (
              <div className="flex flex-wrap gap-1.5">
                {tools.get(step.id)?.map((name) => (
                  <ToolBadge key={name} name={name} tool={workflow.tools[name] ?? null} />
                ))}
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
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
