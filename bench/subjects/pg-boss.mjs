import { PgBoss } from 'pg-boss'
import { OUTPUT, runTest } from '../lib/tests'

/** pg-boss alone, the floor that Clew stands on: a chain's step is a job whose handler sends the next one. Nothing is kept of it. */
async function open() {
  const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: 10, useListenNotify: true })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue('step', { notify: true })
  const ended = new Map()
  let runs = 0
  await boss.work('step', { batchSize: 50, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    const next = jobs.filter(({ data }) => data.left > 1).map(({ data }) => ({ data: { ...data, left: data.left - 1 } }))
    if (next.length > 0) await boss.insert('step', next)
    for (const { data } of jobs) if (data.left === 1) ended.get(data.run)?.()
  })
  const run = (jobs, left) => {
    const id = ++runs
    let open = jobs
    return new Promise((resolve, reject) => {
      ended.set(id, () => --open === 0 && resolve())
      boss
        .insert(
          'step',
          Array.from({ length: jobs }, () => ({ data: { run: id, left, ...OUTPUT } })),
        )
        .catch(reject)
    })
  }
  return { chain: () => run(1, 10), fanOut: (items) => run(items, 1) }
}

await runTest({ open })
