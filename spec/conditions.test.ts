import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { compileGraph, type Graph, portsOf, type Step } from '.'
import { conditionsOf, isGuarded, waysWithout } from './conditions'
import { arbitrarySpec } from './testing/arbitrary-spec'
import { Random } from './testing/random'

/** Every step that may start in one run, with the port it takes; null: skipped. What ends the run, and what waits for that, is absent. */
function walk(graph: Graph, random: Random): Map<string, string | null> {
  const taken = new Map<string, string | null>()
  for (const id of graph.order) {
    const entries = graph.entries.get(id) ?? []
    if (!entries.every(({ step }) => taken.has(step))) continue
    const live = entries.map(({ step, port }) => taken.get(step) === port)
    const starts = live.length === 0 || (graph.join.get(id) === 'any' ? live.some(Boolean) : live.every(Boolean))
    const step = graph.steps.get(id) as Step
    // Mostly the first, by which a run goes on: or few runs would come far.
    const port = random.pick(step.uses === 'choice' || random.below(3) === 0 ? portsOf(step) : portsOf(step).slice(0, 1))
    const ends = ['failed', 'rejected', 'expired'].includes(port) && step.uses !== 'choice' && !graph.followedPorts.get(id)?.has(port)
    if (!starts) taken.set(id, null)
    else if (!ends) taken.set(id, port)
  }
  return taken
}

const specs = arbitrarySpec({ maxSteps: 14, kinds: ['tool', 'approve', 'choice'] })

describe('conditions', () => {
  it('hold in every run in which the step starts', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(specs, fc.nat(), (spec, seed) => {
        const graph = compileGraph(spec)
        const conditions = conditionsOf(graph)
        const random = new Random(seed)
        const wrong: string[] = []
        for (let run = 0; run < 20; run++) {
          const taken = walk(graph, random)
          for (const [id, port] of taken) {
            if (port === null) continue
            for (const [step, ports] of conditions.get(id) ?? []) if (!ports.has(taken.get(step) ?? '')) wrong.push(`${id}: ${step}`)
          }
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: effort(100) },
    )
  })

  it('tell every way on which a step starts and no approval was given', { timeout: effort(60_000) }, () => {
    let without = 0
    fc.assert(
      fc.property(specs, fc.nat(), (spec, seed) => {
        const graph = compileGraph(spec)
        const ways = waysWithout(graph)
        const random = new Random(seed)
        for (let run = 0; run < 20; run++) {
          const taken = walk(graph, random)
          for (const [id, port] of taken) {
            const gates = [...(graph.ancestors.get(id) ?? [])].filter((above) => graph.steps.get(above)?.uses === 'approve')
            if (port === null || gates.length === 0 || gates.some((gate) => taken.get(gate) === 'approved')) continue
            without++
            const known = ways.get(id)
            const taking = known?.some((way) => [...way].every(([step, by]) => taken.get(step) === by))
            if (known !== null && !taking) throw new Error(`no way to '${id}' is known`)
          }
        }
      }),
      { numRuns: effort(100) },
    )
    expect(without).toBeGreaterThan(50)
  })

  it('find nearly every gate that was approved in every run', () => {
    let [guarded, free] = [0, 0]
    fc.assert(
      fc.property(specs, fc.nat(), (spec, seed) => {
        const graph = compileGraph(spec)
        const conditions = conditionsOf(graph)
        const random = new Random(seed)
        const runs = Array.from({ length: 200 }, () => walk(graph, random))
        for (const step of spec.steps) {
          for (const gate of graph.ancestors.get(step.id) ?? []) {
            if (graph.steps.get(gate)?.uses !== 'approve') continue
            const started = runs.filter((taken) => typeof taken.get(step.id) === 'string')
            if (started.length < 60) continue
            const always = started.every((taken) => taken.get(gate) === 'approved')
            if (isGuarded(conditions.get(step.id), gate)) guarded++
            else if (always) free++
          }
        }
      }),
      // The same documents each time: this counts how much is found, which varies.
      { numRuns: 100, seed: 1 },
    )
    // What several joins in a row imply together is not found: then less is said, and nothing wrong.
    expect(guarded).toBeGreaterThan(30)
    expect(free).toBeLessThan(guarded / 10)
  })
})
