import os from 'node:os'

/** What a round of `npm run test:long` leaves: nothing failed in it. */
export interface LongRound {
  passed: number
  seconds: number
}

/** The page `docs/results/long.md`. */
export function longReportOf(rounds: LongRound[]): string {
  const minutes = Math.round(rounds.reduce((sum, round) => sum + round.seconds, 0) / 60)
  return `# Last result of \`npm run test:long\`

${new Date().toISOString().slice(0, 10)}, ${os.availableParallelism()} cores, embedded PostgreSQL 18. Rounds: ${rounds.length}, in ${minutes} minutes; each repeats what chance decides ten times as
often as \`npm test\` does, with other random numbers: ${(20_000 * rounds.length).toLocaleString('en')} runs of the model test, ${(500 * rounds.length).toLocaleString('en')} times each race on PostgreSQL, the random documents of the
spec, its builder, its conformance kit and the comparison of both stores. Tests passed in a round: ${Math.min(...rounds.map((round) => round.passed))}. Failed: none.
`
}
