import fs from 'node:fs'
import { say } from './console'
import { longTestsOf } from './testing/checks'
import { type LongRound, longReportOf } from './testing/long-report'
import { readRound, roundFiles, roundsAsked } from './testing/rounds'
import { Runner } from './testing/runner'

// 50 rounds are a million random runs of the model test.
const files = roundFiles('long', roundsAsked(50))

say('Repeating what chance decides ten times as often as the other tests do, round after round: about five minutes each on two cores.\n')
const runner = new Runner()
for (const [i, file] of files.entries()) {
  if (readRound<LongRound>(file)) {
    say(`Round ${i + 1} was done before.`)
    continue
  }
  const since = Date.now()
  const result = await runner.run(longTestsOf(i + 1))
  if (!result || result.failed.length > 0) break // chance found something: the next rounds would only hide it
  const round: LongRound = { passed: result.passed, seconds: Math.round((Date.now() - since) / 1000) }
  fs.writeFileSync(file, JSON.stringify(round))
  fs.writeFileSync('docs/results/long.md', longReportOf(files.flatMap((one) => readRound<LongRound>(one) ?? [])))
}
runner.finish()
