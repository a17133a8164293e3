import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { kindOf, parseWorkflow, validateWorkflow } from '..'
import { KIND_NAMES } from '../kinds'
import { arbitraryMutation, arbitrarySpec } from './arbitrary-spec'

const PATIENT = { timeout: 60_000 }

it('a mutation touches exactly the steps that it names, and many are valid', PATIENT, () => {
  let valid = 0
  fc.assert(
    fc.property(arbitraryMutation(), ({ before, after, touched }) => {
      const [a, b] = [validateWorkflow(before), validateWorkflow(after)]
      if (!a.ok) throw new Error('the generator made an invalid document')
      if (!b.ok) return
      valid++
      expect(parseWorkflow(b.canonical)).toEqual(b)
      const steps = [a, b].map(({ spec }) => new Map(spec.steps.map((step) => [step.id, JSON.stringify(step)])))
      const ids = new Set(steps.flatMap((map) => [...map.keys()]))
      expect([...ids].filter((id) => steps[0]?.get(id) !== steps[1]?.get(id)).sort()).toEqual(touched)
    }),
    { numRuns: 60, seed: 1 },
  )
  expect(valid).toBeGreaterThan(15)
})

it('the generator makes every kind, also all in one document, and documents of nearly 60 steps', PATIENT, () => {
  const kinds = new Map<string, number>()
  const specs = fc.sample(arbitrarySpec(), { numRuns: 40, seed: 1 })
  for (const step of specs.flatMap((spec) => spec.steps)) kinds.set(kindOf(step), (kinds.get(kindOf(step)) ?? 0) + 1)
  for (const kind of KIND_NAMES) expect(kinds.get(kind), kind).toBeGreaterThan(20)
  expect(specs.filter((spec) => spec.steps.length > 50).length).toBeGreaterThan(5)
  expect(specs.filter((spec) => new Set(spec.steps.map(kindOf)).size === KIND_NAMES.length).length).toBeGreaterThan(10)
})
