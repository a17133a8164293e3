import { effectWords } from '@/components/messages'
import type { Answers } from '@/components/shell/trpc'
import { Badge } from '@/components/ui/badge'
import { EffectBadge } from './plan'

/** Every tool and job the workflow may call: what it does to the world, and whether it may be called at all. */
export function ToolTable({ tools }: { tools: Answers['workflows']['get']['tools'] }) {
  return (
    <ul className="divide-y">
      {Object.entries(tools).map(([name, tool]) => (
        <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5 first:pt-0 last:pb-0">
          <div className="grid min-w-0 grow">
            <span className="font-medium">{tool?.title ?? name}</span>
            <code className="text-xs text-muted-foreground">{name}</code>
          </div>
          <div className="flex flex-wrap gap-1.5">
            {tool && <EffectBadge effect={tool.effect} />}
            {tool && !tool.enabled && <Badge tone="var(--status-parked)">Switched off</Badge>}
            {!tool && <Badge tone="var(--status-parked)">Missing</Badge>}
          </div>
          <p className="w-full text-sm text-muted-foreground">{toolNote(tool)}</p>
        </li>
      ))}
    </ul>
  )
}

function toolNote(tool: Answers['workflows']['get']['tools'][string]): string {
  if (!tool) return 'No plugin brings this: a run stops here. Ask whoever operates Clew to install the plugin.'
  if (!tool.enabled) return 'Switched off for the organisation: a run stops here. Ask an org admin.'
  return effectWords[tool.effect].help
}
