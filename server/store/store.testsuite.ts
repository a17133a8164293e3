import { afterAll, beforeAll, describe } from 'vitest'
import { attemptCases } from './store.testsuite.attempts'
import { childCases } from './store.testsuite.children'
import { conversationCases } from './store.testsuite.conversations'
import { gateCases } from './store.testsuite.gates'
import type { StoreHarness } from './store.testsuite.harness'
import { lostCases } from './store.testsuite.lost'
import { mapCases } from './store.testsuite.maps'
import { outputCases } from './store.testsuite.outputs'
import { queueCases } from './store.testsuite.queues'
import { quotaCases } from './store.testsuite.quotas'
import { recallCases } from './store.testsuite.recall'
import { redriveCases } from './store.testsuite.redrive'
import { SPEC, storeRoom } from './store.testsuite.room'
import { runCases } from './store.testsuite.runs'
import { timerCases } from './store.testsuite.timers'
import { traceCases } from './store.testsuite.traces'
import { undoCases } from './store.testsuite.undos'

const parts = [
  runCases,
  attemptCases,
  outputCases,
  mapCases,
  recallCases,
  gateCases,
  undoCases,
  lostCases,
  childCases,
  timerCases,
  traceCases,
  queueCases,
  conversationCases,
  quotaCases,
  redriveCases,
]

/** The contract of a store: every adapter passes it. */
export function storeSuite(name: string, setup: () => Promise<StoreHarness>): void {
  describe(`the store contract: ${name}`, () => {
    let h: StoreHarness
    let seeded: Awaited<ReturnType<StoreHarness['seed']>>
    beforeAll(async () => {
      h = await setup()
      seeded = await h.seed(SPEC)
    })
    afterAll(() => h.close())

    const room = storeRoom(
      () => h,
      () => seeded,
    )
    for (const casesOf of parts) casesOf(room)
  })
}
