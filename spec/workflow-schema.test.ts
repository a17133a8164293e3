import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { type Json, type JsonObject, type Problem, type ProblemCode, validateWorkflow, workflowJsonSchema } from '.'
import { casesOf } from './conformance/cases'
import { arbitraryMutation, arbitrarySpec } from './testing/arbitrary-spec'
import { arbitraryEdits, edited } from './testing/edit'
import { EXAMPLE } from './testing/example'
import { violations } from './testing/json-schema'

const schema = workflowJsonSchema()
const PATIENT = { timeout: effort(60_000) }

/** What only the validator says: the graph, where references lead, names used twice, values against their own field. */
const BEYOND = new Set<ProblemCode>([
  'duplicate_id',
  'range_empty',
  'default_invalid',
  'enum_invalid',
  'unknown_step',
  'unknown_port',
  'port_required',
  'cycle',
  'never_starts',
  'reference_not_allowed',
  'unknown_input',
  'not_an_ancestor',
  'secret_not_allowed',
  'document_too_large',
])

/** A problem of the structure, as a schema can say it (docs/decisions/013). */
function isStructural({ code, path, message }: Problem): boolean {
  if (BEYOND.has(code)) return false
  // `gate` and `gate.approved` are the same only to who knows the kinds; only the last branch may lack a condition.
  if (code === 'duplicate_entry') return !path.includes('/after/')
  if (code === 'missing_field') return !path.endsWith('/when')
  return !(code === 'too_deep' && message.startsWith('fields')) && !(code === 'invalid_value' && path.endsWith('/until'))
}

/** Holds the schema against the validator: neither may know something of the structure that the other does not. */
function agree(document: Json): 'valid' | 'refused' | 'beyond' {
  const result = validateWorkflow(document)
  const refused = violations(schema, document)
  if (result.ok) {
    expect(refused).toEqual([])
    return 'valid'
  }
  const structural = result.problems.filter(isStructural)
  // These codes say more than a schema can, and some of it the schema says too: a null default, the form of a date.
  if (structural.length === 0) {
    const said = result.problems.some(({ code }) => ['default_invalid', 'duplicate_entry', 'invalid_value'].includes(code))
    if (!said) expect(refused).toEqual([])
    return 'beyond'
  }
  expect(refused, JSON.stringify(structural.slice(0, 3))).not.toEqual([])
  return 'refused'
}

/** Every document of the kit that is valid JSON, whatever else is wrong with it. */
function kit(): Json[] {
  return (['valid', 'invalid'] as const).flatMap((kind) => {
    const cases = casesOf<{ document?: Json; text?: string }>(kind)
    return cases.map(({ document, text }) => (text === undefined ? (document ?? null) : (JSON.parse(text) as Json)))
  })
}

describe('the JSON Schema and the validator agree', () => {
  it('on the documents of the conformance kit', PATIENT, () => {
    const seen = { valid: 0, refused: 0, beyond: 0 }
    for (const document of kit()) seen[agree(document)]++
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20)
  })

  it('on random valid documents', PATIENT, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => void expect(agree(spec as unknown as Json)).toBe('valid')),
      { numRuns: effort(60) },
    )
  })

  it('on random documents changed with knowledge of the format, and blindly', PATIENT, () => {
    const seen = { valid: 0, refused: 0, beyond: 0 }
    const count = (document: Json) => void seen[agree(document)]++
    fc.assert(
      fc.property(arbitraryMutation(), ({ after }) => count(after as unknown as Json)),
      { numRuns: effort(50) },
    )
    fc.assert(
      fc.property(arbitrarySpec(), arbitraryEdits(2), (spec, edits) => count(edited(spec, edits))),
      { numRuns: effort(50) },
    )
    // A blind change is found as well in a small document, and many more of those can be held against the schema.
    fc.assert(
      fc.property(arbitrarySpec({ maxSteps: 5 }), arbitraryEdits(2), (spec, edits) => count(edited(spec, edits))),
      { numRuns: effort(300) },
    )
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(8)
  })
})

/** What the schema says of the example with this value (undefined: nothing) at this place. */
const changed = (place: string, value?: Json): string[] => {
  const document = JSON.parse(EXAMPLE) as Json
  const path = place.split('.')
  const last = path.pop() ?? ''
  const parent = path.reduce((at, segment) => (at as JsonObject)[segment] ?? null, document) as JsonObject
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return violations(schema, document)
}

describe('the JSON Schema', () => {
  it('points at the place, and speaks of the kind that the step is', () => {
    expect(changed('$schema', '/schemas/workflow-1.json')).toEqual([])
    expect(changed('steps.2.whit', {})).toEqual(['/steps/2/whit false'])
    expect(changed('steps.1.role', 'A manager')).toEqual(['/steps/1/role pattern'])
    expect(changed('steps.1.role')).toEqual(['/steps/1 required'])
    expect(changed('steps.0.uses', 'chioce')).toEqual(['/steps/0/uses pattern'])
    expect(changed('steps.0.branches.0.when.op', 'exists')).toEqual(['/steps/0/branches/0/when/right false'])
    expect(changed('steps.2.with.amount', 'EUR ${input.amount}')).toEqual(['/steps/2/with/amount pattern'])
  })

  it('is checked in as it is generated (`npm run schema` writes it)', () => {
    expect(JSON.parse(readFileSync('public/schemas/workflow-1.json', 'utf8'))).toEqual(schema)
  })
})
