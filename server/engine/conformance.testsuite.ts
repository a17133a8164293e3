import { describe, expect, test } from 'vitest'
import { casesOf } from '@/spec/conformance/cases'
import { differences } from '@/spec/conformance/compare'
import type { RunCase } from '@/spec/conformance/reference-runner'
import type { Bench, CreateBench } from './conformance.testsuite.bench'
import { playCase } from './conformance.testsuite.player'
import { createTestEngine } from './testing'

/** The engine in memory. */
export const inMemory: CreateBench = (options) => {
  const { engine, store, queue, clock, start, run, publish } = createTestEngine(options)
  const grantRole: Bench['grantRole'] = (...grant) => store.grantRole(...grant)
  return { engine, queue, advance: (ms) => clock.advance(ms), start, run, publish, grantRole }
}

const cases = casesOf<RunCase>('runs')

/** The run cases of the conformance kit, or those of them that are `chosen`. */
export function conformanceSuite(create: CreateBench, chosen: (name: string) => boolean = () => true): void {
  describe('the conformance kit', () => {
    const played = cases.filter(({ name }) => chosen(name))
    test.each(played.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      expect(await outcome(create, one)).toEqual([])
    })
  })
}

async function outcome(create: CreateBench, one: RunCase): Promise<string[]> {
  try {
    return differences(one, await playCase(create, one))
  } catch (error) {
    return [String(error)]
  }
}
