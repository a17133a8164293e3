import { randomUUID } from 'node:crypto'
import { TestClock } from '@/server/engine/test-clock'
import { MemoryQueue } from '@/server/queue/memory'
import type { Definition } from '@/server/engine/ports'
import { MemoryStore } from './memory'
import { stepRow } from './memory-run'
import { storeSuite } from './store.testsuite'
import type { Inspected } from './store.testsuite.harness'

storeSuite('memory', async () => {
  const clock = new TestClock()
  const queue = new MemoryQueue(clock)
  const store = new MemoryStore(clock, queue)
  return {
    store,
    queue,
    newId: randomUUID,
    seed: async (spec) => {
      const definition: Definition = { id: randomUUID(), teamId: randomUUID(), slug: 'suite', version: 1, spec }
      const managerId = randomUUID()
      store.addDefinition(definition)
      store.grantRole(definition.teamId, managerId, 'manager')
      return { definition, principal: { userId: randomUUID(), teamId: definition.teamId, locale: 'en' }, managerId }
    },
    setQuota: async (teamId, quota) => store.setQuota(teamId, quota),
    inspect: async (runId): Promise<Inspected> => {
      const run = store.read(runId)
      if (!run) throw new Error('no such run')
      return {
        status: run.status,
        version: run.version,
        output: run.output === null ? null : JSON.parse(run.output),
        error: run.error,
        rows: [...run.rows.values()].map((row) => Object.assign(stepRow(row), { error: row.error, flag: row.flag })),
        gates: [...run.gates.values()].map(({ id, stepId, status }) => ({ id, stepId, status })),
      }
    },
    loseWorker: async (jobIds) => queue.lose(jobIds),
    dropJobs: async (jobIds) => queue.remove(jobIds),
    descendants: async (runId) => store.read(runId)?.descendants ?? 0,
    setDescendants: async (runId, count) => void Object.assign(store.read(runId) ?? {}, { descendants: count }),
    close: async () => {},
  }
})
