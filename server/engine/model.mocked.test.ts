import { AsyncLocalStorage } from 'node:async_hooks'
import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { effort } from '@/db/testing/effort'
import { memoryBench, RUN_ID } from './model.testsuite.bench'
import { arbitraryFamily } from './model.testsuite.family'
import { Play } from './model.testsuite.play'
import { Rules } from './model.testsuite.rules'

/** Every call of the reducer is looked at, by the rules of the play that is on. */
const seen = vi.hoisted(() => ({ rules: undefined as Rules | undefined }))
const runOf = new AsyncLocalStorage<string>()
vi.mock('./advance', async (original) => {
  const real = await original<typeof import('./advance')>()
  const advance: typeof real.advance = (plan, state, event) =>
    seen.rules?.advanced(runOf.getStore() ?? '', plan, state, event) ?? real.advance(plan, state, event)
  return { ...real, advance }
})
const { advance } = await vi.importActual<typeof import('./advance')>('./advance')

test(
  'any workflow, any children, any outcomes, any order: the rules of a run hold for all of them',
  async () => {
    const met = new Map<string, number>()
    const meet = (what: string) => met.set(what, (met.get(what) ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(arbitraryFamily({ maxSteps: 8, maxActions: 50 }), async (drawn) => {
        const play: Play = new Play(drawn, {
          called: (call) => rules.called(call),
          asked: (request) => rules.asked(request),
          between: () => rules.between(),
        })
        const { bench, runs } = memoryBench(play.script, (runId, work) => runOf.run(runId, work))
        const rules = new Rules(advance, runs)
        seen.rules = rules
        await play.whole(bench)
        rules.atEnd()
        if (rules.putOff > 0) meet('put off')
        for (const { run, status } of runs()) meet(`${run.id === RUN_ID ? 'run' : `depth ${run.kin.depth}`} ${status}`)
        for (const event of new Set([...rules.courses.values()].flatMap(({ events }) => events.map(({ type }) => type)))) meet(event)
      }),
      { numRuns: effort(2_000) },
    )
    // A generator that reached no end but one would prove little.
    const ends = ['run', 'depth 1', 'depth 2'].flatMap((place) =>
      ['succeeded', 'rejected', 'cancelled'].map((status) => `${place} ${status}`),
    )
    const events = ['item_ended', 'child_changed', 'compensation_ended', 'outcome_recorded', 'map_reopened', 'gate_expired', 'put off']
    for (const what of ['run parked', ...ends, ...events]) expect(met.get(what) ?? 0, what).toBeGreaterThan(0)
  },
  effort(600_000),
)
