import fs from 'node:fs'

/** What a subject measured in one round; times in milliseconds unless they say seconds. */
export type Figures = Partial<
  Record<'seconds' | 'stepsPerSecond' | 'commitsPerStep' | 'statementsPerStep' | 'walBytesPerStep' | 'p50' | 'p95', number>
>
type Result = { test: string; unit: keyof Figures; subject: string; figures: Figures[] }

/** Prints one table (medians, with the spread of what is compared) and the ratios, and writes both to `bench/results.json`. */
export function report(results: Result[], about: { machine: string; rounds: number; load: number }): void {
  console.log(`\n${about.machine}; load at the end ${about.load.toFixed(1)}; medians of ${about.rounds} rounds\n`)
  const rows = results.map((result) => {
    const all = result.figures.map((one) => one[result.unit] ?? Number.NaN)
    const rest = Object.keys(result.figures[0] ?? {}).filter((key) => key !== result.unit && key !== 'seconds') as (keyof Figures)[]
    return {
      test: result.test,
      subject: result.subject,
      [result.unit]: round(median(all)),
      spread: `${round(Math.min(...all))} to ${round(Math.max(...all))}`,
      more: rest.map((key) => `${key} ${round(median(result.figures.map((one) => one[key] ?? Number.NaN)))}`).join(', '),
    }
  })
  for (const row of rows) console.log(Object.entries(row).map(([key, value]) => (key === 'test' || key === 'subject' ? value : `${key} ${value}`)).join(' · ')) // prettier-ignore
  const ratios = ratiosOf(results)
  console.log()
  for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${round(ratio)}`)
  fs.writeFileSync('bench/results.json', `${JSON.stringify({ ...about, date: new Date().toISOString(), rows, ratios }, null, 2)}\n`)
}

/** Clew's figure divided by each peer's, test by test. */
function ratiosOf(results: Result[]): Record<string, number> {
  const of = ({ unit, figures }: Result) => median(figures.map((one) => one[unit] ?? Number.NaN))
  const ours = results.filter(({ subject }) => subject === 'Clew')
  return Object.fromEntries(
    ours.flatMap((mine) =>
      results
        .filter(({ test, subject }) => test === mine.test && subject !== 'Clew')
        .map((theirs) => [`${mine.test}: Clew / ${theirs.subject}`, of(mine) / of(theirs)]),
    ),
  )
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const round = (value: number) => Number(value.toPrecision(3))
