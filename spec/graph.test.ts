import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { compileGraph, parseWorkflow, portsOf, type Step, validateWorkflow, type WorkflowSpec } from '.'
import { arbitrarySpec } from './testing/arbitrary-spec'
import { EXAMPLE } from './testing/example'

const specOf = (source: unknown): WorkflowSpec => {
  const result = typeof source === 'string' ? parseWorkflow(source) : validateWorkflow(source)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.spec
}

describe('compileGraph', () => {
  it('makes ports explicit and knows who follows whom by which port', () => {
    const graph = compileGraph(specOf(EXAMPLE))
    expect(graph.order).toEqual(['route', 'sign_off', 'pay'])
    expect(graph.entries.get('pay')).toEqual([
      { step: 'route', port: 'small' },
      { step: 'sign_off', port: 'approved' },
    ])
    expect(graph.join).toEqual(
      new Map([
        ['route', 'all'],
        ['sign_off', 'all'],
        ['pay', 'any'],
      ]),
    )
    expect(graph.followers.get('route')).toEqual([
      { step: 'sign_off', port: 'large' },
      { step: 'pay', port: 'small' },
    ])
    expect(graph.followedPorts.get('sign_off')).toEqual(new Set(['approved']))
    expect(graph.followedPorts.get('pay')).toEqual(new Set())
    expect(graph.ancestors.get('pay')).toEqual(new Set(['route', 'sign_off']))
  })

  it('is safe with ids that objects inherit', () => {
    const steps = ['constructor', 'valueof', 'length'].map((id, i, all) => ({ id, uses: 'tool:x', after: i === 0 ? [] : [all[i - 1]] }))
    const graph = compileGraph(specOf({ spec: 1, slug: 'ab', title: 't', steps }))
    expect(graph.ancestors.get('length')).toEqual(new Set(['constructor', 'valueof']))
    expect(graph.entries.get('tostring')).toBeUndefined()
  })

  it('for every valid document, orders steps after their ancestors and is its own mirror image', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const graph = compileGraph(specOf(spec))
        const place = new Map(graph.order.map((id, i) => [id, i]))
        expect(graph.order).toHaveLength(spec.steps.length)
        // Collected and compared once: an expectation for each of some thousand pairs would take seconds.
        const wrong: string[] = []
        for (const [id, entries] of graph.entries) {
          const above = graph.ancestors.get(id)
          for (const { step, port } of entries) {
            if ((place.get(step) ?? Infinity) >= (place.get(id) ?? -1)) wrong.push(`${id} runs before ${step}`)
            if (!portsOf(graph.steps.get(step) as Step).includes(port)) wrong.push(`${step} has no port ${port}`)
            if (!graph.followers.get(step)?.some((follower) => follower.step === id && follower.port === port))
              wrong.push(`${step} forgot ${id}`)
            if (!graph.followedPorts.get(step)?.has(port)) wrong.push(`${step} forgot ${port}`)
            for (const before of [step, ...(graph.ancestors.get(step) ?? [])]) if (!above?.has(before)) wrong.push(`${id} forgot ${before}`)
          }
        }
        expect(wrong).toEqual([])
      }),
      { numRuns: effort(30) },
    )
  })
})
