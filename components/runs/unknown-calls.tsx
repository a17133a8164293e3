import { stepName } from '@/components/dag/words'
import { CopyButton } from '@/components/ui/copy-button'
import type { RunViewData } from './types'

/** Under which keys the calls went out of which nobody knows whether they took effect: by them they are found on the other side. */
export function UnknownCalls({ run }: { run: Pick<RunViewData, 'unknown' | 'steps'> }) {
  if (run.unknown.length === 0) return null
  return (
    <ul aria-label="Look it up on the other side" className="grid grid-cols-1 gap-2 text-sm">
      {run.unknown.flatMap(({ stepId, item, keys }) => {
        const name = stepName(run.steps.find(({ id }) => id === stepId) ?? { id: stepId, title: null })
        return keys.map((key) => (
          <li key={key} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="text-muted-foreground">
              Idempotency key of {item < 0 ? `“${name}”` : `item ${item + 1} of “${name}”`}, by which to look on the other side:
            </span>
            <code className="font-mono break-all">{key}</code>
            <CopyButton text={key} label="Copy the key" />
          </li>
        ))
      })}
    </ul>
  )
}
