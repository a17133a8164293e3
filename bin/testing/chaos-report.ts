/** What a round of `server/worker/survival.chaos.test.ts` writes. */
export type Round = Record<Summed | 'seconds' | 'secondsAfterLast', number> & { lost: string[]; unexplained: string[]; missing: string[] }

type Summed = 'runs' | 'succeeded' | 'outcomeUnknown' | 'effects' | 'repeatedAfterLoss' | 'workerKills' | 'databaseKills'

export const isGood = ({ lost, unexplained, missing }: Round): boolean => lost.length + unexplained.length + missing.length === 0

/** The page `docs/results/chaos.md`. */
export function reportOf(rounds: Round[]): string {
  const sum = (key: Summed) => rounds.reduce((total, round) => total + round[key], 0)
  const longest = (key: 'seconds' | 'secondsAfterLast') => Math.max(...rounds.map((round) => round[key]))
  const bad = rounds.filter((round) => !isGood(round)).length
  const lines = [
    ['runs, child runs included', sum('runs')],
    ['succeeded', sum('succeeded')],
    ['parked because nobody knows how a `once` call ended', sum('outcomeUnknown')],
    ['effects', sum('effects')],
    ['made again under the same key after a recorded loss of the worker', sum('repeatedAfterLoss')],
    ['lost runs', rounds.reduce((total, round) => total + round.lost.length, 0)],
    ['effects repeated or missing without a record', rounds.reduce((total, one) => total + one.unexplained.length + one.missing.length, 0)],
    ['longest round, in seconds', longest('seconds')],
    ['longest time from the last restart to the end of all runs, in seconds', longest('secondsAfterLast')],
  ]
  return `# Last result of \`npm run test:chaos\`

${new Date().toISOString().slice(0, 10)}, two cores, embedded PostgreSQL 18, three workers. Rounds: ${rounds.length}, with ${sum('workerKills')} times \`kill -9\` of a worker and ${sum('databaseKills')} times
of PostgreSQL, and connections cut in between. ${bad === 0 ? 'Nothing was lost and nothing repeated without a record.' : `**${bad} of them failed.**`}

${lines.map(([name, value]) => `- ${name}: ${value}`).join('\n')}

The same command also kills the worker inside an effect, and after an effect that was not recorded yet, 20 times each: one ledger entry a run.
It ends Clew 20 times at each of four moments of its start, as Ctrl-C does: within 5 s no process is left.
`
}
