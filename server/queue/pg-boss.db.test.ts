import { openHarness } from '@/server/store/postgres/testing/harness'
import { queueSuite } from './queue.testsuite'

queueSuite('pg-boss', async () => {
  const h = await openHarness()
  const { principal } = await h.seed('{}')
  return { ...h, teamId: principal.teamId, runId: h.newId(), enqueue: (jobs) => h.queue.insert(h.db, jobs) }
})
