import os from 'node:os'
import type { Tally } from './report'

/** What a round of `server/worker/survival.chaos.test.ts` writes. */
export type Round = Record<Summed | 'seconds' | 'secondsAfterLast', number> & { lost: string[]; unexplained: string[]; missing: string[] }

type Summed = 'runs' | 'succeeded' | 'outcomeUnknown' | 'effects' | 'repeatedAfterLoss' | 'workerKills' | 'databaseKills'

export const isGood = ({ lost, unexplained, missing }: Round): boolean => lost.length + unexplained.length + missing.length === 0

/** The page `docs/results/chaos.md`. `moments`: how the tests that kill and stop at chosen moments went. */
export function reportOf(rounds: Round[], moments: Tally | null): string {
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

${new Date().toISOString().slice(0, 10)}, ${os.availableParallelism()} cores, embedded PostgreSQL 18, three workers. Rounds: ${rounds.length}, with ${sum('workerKills')} times \`kill -9\` of a worker and ${sum('databaseKills')} times
of PostgreSQL, and connections cut in between. ${bad === 0 ? 'Nothing was lost and nothing repeated without a record.' : `**${bad} of them failed.**`}

${lines.map(([name, value]) => `- ${name}: ${value}`).join('\n')}

The same command kills the worker 20 times inside an effect and after an effect that was not recorded yet (one ledger entry a run), and
stops Clew as Ctrl-C does 20 times at each of four moments of its start (no process is left): ${momentsLine(moments)}
`
}

const momentsLine = (moments: Tally | null): string =>
  !moments ? 'not run.' : moments.failed.length === 0 ? `${moments.passed} passed.` : `**failed: ${moments.failed.join('; ')}**`
