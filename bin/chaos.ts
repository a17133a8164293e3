import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { say } from './console'
import { type Round, reportOf, isGood } from './testing/chaos-report'
import { chaos, productionBuild, survivalOf } from './testing/checks'
import { Runner } from './testing/runner'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds takes a number of 1 or more.')
  process.exit(1)
}

// Rounds of the same source that ended well are kept: what was broken off goes on where it was.
const folder = path.resolve('.tmp/chaos', commit())
fs.mkdirSync(folder, { recursive: true })
const settings = JSON.stringify({ runs: 300, workerKills: 20, databaseKills: 2 })
const files = Array.from({ length: rounds }, (_, i) => path.join(folder, `round-${i + 1}.json`))
const read = (file: string) => (fs.existsSync(file) ? [JSON.parse(fs.readFileSync(file, 'utf8')) as Round] : [])

say('Killing workers and the database with kill -9 while they work, again and again.\n')
const runner = new Runner()
for (const [i, file] of files.entries()) {
  if (read(file).some(isGood)) {
    say(`Round ${i + 1} was done before.`)
    continue
  }
  const title = `Round ${i + 1}: 300 runs, 20 workers and 2 databases killed (vitest)`
  await runner.run(survivalOf(`chaos-${i + 1}`, title, { CLEW_CHAOS: settings, CLEW_CHAOS_RESULT: file }))
}
const done = files.flatMap(read)
if (done.length > 0) fs.writeFileSync('docs/results/chaos.md', reportOf(done))
await runner.run(productionBuild)
await runner.run(chaos)
runner.finish()

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown' // unpacked from an archive
  }
}
