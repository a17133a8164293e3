import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '@/db/migrate'
import { runChild } from '@/db/child'
import { startPostgres } from './lib/postgres'
import { report, type Figures } from './lib/report'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' }, only: { type: 'string' } },
})
const quick = values.quick
const rounds = Number(values.rounds ?? 3)

type Subject = { name: string; file: string; settings?: object }
const CLEW: Subject = { name: 'Clew', file: 'clew.ts' }
const PG_BOSS: Subject = { name: 'pg-boss', file: 'pg-boss.mjs' }
const DBOS: Subject = { name: 'DBOS', file: 'dbos.mjs' }
const QUEUED: Subject = { name: 'DBOS queued', file: 'dbos.mjs', settings: { queued: true } }
const OPENWORKFLOW: Subject = { name: 'openworkflow', file: 'openworkflow.mjs' }

type Test = { name: string; unit: keyof Figures; settings: object; subjects: Subject[] }
const peers = quick ? [] : [OPENWORKFLOW, QUEUED]
const TESTS: Test[] = [
  {
    name: 'chain',
    unit: 'stepsPerSecond',
    settings: { test: 'chain', runs: quick ? 300 : 1000, counting: true },
    subjects: [CLEW, DBOS, PG_BOSS, ...peers],
  },
  { name: 'latency', unit: 'p50', settings: { test: 'latency', times: 50 }, subjects: [CLEW, DBOS, ...peers] },
  {
    name: 'fan-out 1,000',
    unit: 'seconds',
    settings: { test: 'fanOut', items: 1000 },
    subjects: [CLEW, DBOS, PG_BOSS, ...(quick ? [] : [OPENWORKFLOW])],
  },
  ...(quick
    ? []
    : [{ name: 'fan-out 10,000', unit: 'seconds' as const, settings: { test: 'fanOut', items: 10_000 }, subjects: [CLEW, DBOS, PG_BOSS] }]),
  ...[1, 8, 32].map((connections): Test => ({
    name: `insert and commit one row, ${connections} connections`,
    unit: 'stepsPerSecond',
    settings: { connections, seconds: quick ? 2 : 5 },
    subjects: [{ name: 'PostgreSQL', file: 'insert.mjs' }],
  })),
]

/** What was measured is kept by the commit, so that a benchmark that was broken off goes on where it was. */
const kept = path.resolve('.tmp/bench', quick ? 'quick' : 'full')
fs.mkdirSync(kept, { recursive: true })

const server = await startPostgres()
const results: { test: Test; subject: string; figures: Figures[] }[] = []
try {
  // Interleaved: what else the machine does meets everybody alike.
  for (let round = 1; round <= rounds; round++)
    for (const test of TESTS.filter(({ name }) => !values.only || name.startsWith(values.only)))
      for (const subject of test.subjects) {
        const figures = await measure(test, subject, round)
        let result = results.find((one) => one.test === test && one.subject === subject.name)
        if (!result) results.push((result = { test, subject: subject.name, figures: [] }))
        result.figures.push(figures)
      }
} finally {
  await server.stop()
}
const machine = `${os.availableParallelism()} cores (${os.cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, PostgreSQL ${server.version}`
report(
  results.map(({ test, subject, figures }) => ({ test: test.name, unit: test.unit, subject, figures })),
  { machine, rounds, load: os.loadavg()[0] ?? 0 },
)

async function measure(test: Test, subject: Subject, round: number): Promise<Figures> {
  const file = path.join(kept, `${test.name} ${subject.name} ${round}.json`.replaceAll(/[^\w.]+/g, '-'))
  if (fs.existsSync(file)) return JSON.parse(fs.readFileSync(file, 'utf8')) as Figures
  process.stderr.write(`round ${round}: ${test.name}, ${subject.name} …`)
  const database = await server.database('bench')
  if (subject === CLEW) await migrate(database.url)
  const settings = JSON.stringify({ ...test.settings, ...subject.settings })
  const { code, output } = await runChild(process.execPath, ['--import', 'tsx', path.join('bench/subjects', subject.file), settings], {
    moreEnv: {
      DATABASE_URL: database.url,
      BENCH_ADMIN_URL: server.adminUrl,
      CLEW_SECRET: 'a secret that only the benchmark has',
      CLEW_PLUGINS_DIR: 'bench/plugins',
      CLEW_WORKER_CONCURRENCY: '100',
      LOG_LEVEL: 'error',
    },
  })
  await database.drop()
  const last = output.trim().split('\n').at(-1) ?? ''
  if (code !== 0 || !last.startsWith('{')) throw new Error(`${subject.name} did not do ${test.name}:\n${output}`)
  const figures = JSON.parse(last) as Figures
  process.stderr.write(` ${(figures[test.unit] ?? 0).toPrecision(3)}\n`)
  fs.writeFileSync(file, last)
  return figures
}
