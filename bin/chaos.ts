import fs from 'node:fs'
import { say } from './console'
import { type Round, isGood, reportOf } from './testing/chaos-report'
import { chaos, productionBuild, survivalOf } from './testing/checks'
import { readRound, roundFiles, roundsAsked } from './testing/rounds'
import { Runner } from './testing/runner'

const files = roundFiles('chaos', roundsAsked(3))
const settings = JSON.stringify({ runs: 300, workerKills: 20, databaseKills: 2 })
const wasGood = (round: Round | null) => round !== null && isGood(round)

say('Killing workers and the database with kill -9 while they work, again and again.\n')
const runner = new Runner()
for (const [i, file] of files.entries()) {
  if (wasGood(readRound(file))) {
    say(`Round ${i + 1} was done before.`)
    continue
  }
  const title = `Round ${i + 1}: 300 runs, 20 workers and 2 databases killed (vitest)`
  await runner.run(survivalOf(`chaos-${i + 1}`, title, { CLEW_CHAOS: settings, CLEW_CHAOS_RESULT: file }))
}
await runner.run(productionBuild)
const moments = await runner.run(chaos)
const done = files.flatMap((file) => readRound<Round>(file) ?? [])
if (done.length > 0) fs.writeFileSync('docs/results/chaos.md', reportOf(done, moments))
runner.finish()
