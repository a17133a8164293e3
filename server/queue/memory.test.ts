import { randomUUID } from 'node:crypto'
import { TestClock } from '@/server/engine/test-clock'
import { MemoryQueue } from './memory'
import { queueSuite } from './queue.testsuite'

queueSuite('memory', async () => {
  const queue = new MemoryQueue(new TestClock())
  return {
    queue,
    newId: randomUUID,
    teamId: randomUUID(),
    runId: randomUUID(),
    enqueue: async (jobs) => queue.insert(jobs),
    loseWorker: async (jobIds) => queue.lose(jobIds),
    close: async () => {},
  }
})
