import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { createStepQueue } from './pg-boss'

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

it('completes the job of what it does now and then, also where an earlier version let that expire after 100 days, and warns of nothing', async () => {
  await h.pool.query(`UPDATE pgboss.queue SET expire_seconds = 100 * 86400 WHERE name = 'upkeep'`)
  const complaints: unknown[] = []
  const warned = (warning: Error) => complaints.push(warning)
  process.on('warning', warned)
  const queue = createStepQueue({ connectionString: h.url, role: 'worker', onError: (...failure) => complaints.push(failure) })
  try {
    await queue.open([])
    let done = 0
    await queue.every(3_600, async () => void done++)
    const state = await eventually(
      async () => {
        const { rows } = await h.pool.query<{ state: string }>(`SELECT state FROM pgboss.job WHERE name = 'upkeep' AND state > 'active'`)
        return rows[0]?.state
      },
      30,
      'the job has ended',
    )
    expect({ state, done, complaints }).toEqual({ state: 'completed', done: 1, complaints: [] })
  } finally {
    process.off('warning', warned)
    await queue.close()
  }
}, 60_000)
