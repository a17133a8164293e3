import fs from 'node:fs/promises'
import { expect, it } from 'vitest'
import { type ChaosOptions, runChaos } from './testing/chaos/run'

const { CLEW_CHAOS, CLEW_CHAOS_RESULT } = process.env
/** What `npm test` does; `npm run test:chaos` asks for more. */
const options: ChaosOptions = { runs: 60, workers: 3, workerKills: 5, databaseKills: 1, ...(JSON.parse(CLEW_CHAOS ?? '{}') as object) }

it(`no run is lost and no effect repeated without a record: ${JSON.stringify(options)}`, async () => {
  const result = await runChaos(options)
  if (CLEW_CHAOS_RESULT) await fs.writeFile(CLEW_CHAOS_RESULT, JSON.stringify({ ...options, ...result }))
  expect(result).toMatchObject({ lost: [], unexplained: [], missing: [] })
  expect(result.secondsAfterLast).toBeLessThan(60)
  // Else nothing was killed while it mattered, and the test has shown nothing.
  expect(result.repeatedAfterLoss + result.outcomeUnknown).toBeGreaterThan(0)
}, 1_800_000)
