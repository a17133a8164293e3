import { RUN_LOOKS } from '@/components/runs/status'
import type { Answers } from '@/components/shell/trpc'

type Runs = Answers['workflows']['list'][number]['lastRuns']

/** The last runs as a strip of small marks, oldest on the left; `runs` come newest first. Told in words to a screen reader. */
export function RunTicks({ runs }: { runs: Runs }) {
  if (runs.length === 0) return <span className="text-muted-foreground">Never run</span>
  const words = runs.map((run) => RUN_LOOKS[run.status].word.toLowerCase()).join(', ')
  return (
    <span
      role="img"
      aria-label={`Last ${runs.length === 1 ? 'run' : `${runs.length} runs, newest first`}: ${words}`}
      className="inline-flex gap-0.5"
    >
      {runs.toReversed().map((run) => {
        const { icon: Icon, color, word } = RUN_LOOKS[run.status]
        return (
          <span
            key={run.id}
            title={word}
            style={{ '--tone': `var(${color})` }}
            className="grid h-6 w-3.5 place-items-center rounded-sm bg-(--tone)/14 text-(--tone)"
          >
            <Icon className="size-3" strokeWidth={2.5} aria-hidden />
          </span>
        )
      })}
    </span>
  )
}
