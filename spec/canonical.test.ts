import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { parseWorkflow, validateWorkflow, type WorkflowSpec } from '.'
import { EXAMPLE } from './testing/example'
import { arbitrarySpec } from './testing/arbitrary-spec'

const canonicalOf = (source: unknown) => {
  const result = typeof source === 'string' ? parseWorkflow(source) : validateWorkflow(source)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.canonical
}
const tool = (id: string, more = {}) => ({ id, uses: 'tool:x', after: [], ...more })
const doc = (steps: object[], more = {}) => ({ spec: 1, slug: 'ab', title: 't', steps, ...more })
/** The canonical text of a document's first step, after its `uses` and `after`. */
const first = (step: object) => JSON.stringify(JSON.parse(canonicalOf(doc([step]))).steps[0])

const ids = (after: Record<string, string[]>) => {
  const steps = Object.entries(after).map(([id, list]) => tool(id, { after: list }))
  return JSON.parse(canonicalOf(doc(steps))).steps.map((step: { id: string }) => step.id)
}

describe('the canonical form', () => {
  it('leaves the example of the specification as it is, with a hash that never changes', () => {
    const result = parseWorkflow(EXAMPLE)
    expect(result).toMatchObject({ ok: true, hash: '3194e1358dea4d1828902e8567fb4c999393d55cca9acfc83d1a0c155eb5d8c8' })
    expect(canonicalOf(EXAMPLE)).toBe(JSON.stringify(JSON.parse(EXAMPLE)))
  })

  it('puts format fields in the order of the format', () => {
    const text =
      '{"steps":[{"with":{"a":1},"after":[],"title":"T","uses":"tool:x","id":"a"}],"title":"t","slug":"ab","spec":1,"$schema":"x"}'
    expect(canonicalOf(text)).toBe(
      '{"spec":1,"slug":"ab","title":"t","steps":[{"id":"a","uses":"tool:x","after":[],"title":"T","with":{"a":1}}]}',
    )
  })

  it("keeps the author's order where people see it, and sorts every other object by UTF-16 unit", () => {
    const text = canonicalOf({
      ...doc([
        {
          id: 'a',
          uses: 'approve',
          after: [],
          role: 'r',
          show: { z: 1, a: { z: 1, a: 2 } },
          form: { z: { type: 'string' }, a: { type: 'string' } },
        },
        tool('b', { with: { z: 1, '10': 2, '9': 3, '🦊': 4, '\uFFEE': 5, a: { '10': 1, '9': 2 } } }),
      ]),
      input: {
        z: { type: 'object', properties: { y: { type: 'string' }, x: { type: 'string' } }, default: { y: '1', x: '2' } },
        a: { type: 'string' },
      },
      output: { z: null, a: null },
    })
    expect(text).toContain(
      '"input":{"z":{"type":"object","default":{"x":"2","y":"1"},"properties":{"y":{"type":"string"},"x":{"type":"string"}}},"a":',
    )
    expect(text).toContain('"show":{"z":1,"a":{"a":2,"z":1}},"form":{"z":{"type":"string"},"a":{"type":"string"}}')
    expect(text).toContain('"with":{"10":2,"9":3,"a":{"10":1,"9":2},"z":1,"🦊":4,"\uFFEE":5}')
    expect(text).toContain('"output":{"z":null,"a":null}')
  })

  it('drops fields equal to their default, also where the default depends on another field', () => {
    const call = { with: {}, retry: { max_attempts: 5, base_seconds: 1, max_seconds: 300 }, timeout_seconds: 300 }
    expect(first({ ...tool('a'), join: 'all', ...call })).toBe('{"id":"a","uses":"tool:x","after":[]}')
    expect(first(tool('a', { retry: { max_attempts: 3, max_seconds: 300 } }))).toContain('"retry":{"max_attempts":3}')
    const gate = { id: 'a', uses: 'approve', after: [], role: 'r' }
    const usual = {
      channels: ['web'],
      ttl_seconds: 259_200,
      show: {},
      form: {},
      approvals: 1,
      self_approval: false,
      require_sign_in: false,
    }
    expect(first({ ...gate, ...usual })).toBe(JSON.stringify(gate))
    expect(first({ ...gate, approvals: 2, require_sign_in: true })).toBe(JSON.stringify({ ...gate, approvals: 2 }))
    expect(first({ ...gate, require_sign_in: true })).toContain('"require_sign_in":true')
    const map = { id: 'a', uses: 'map', after: [], over: [], do: { uses: 'tool:x' } }
    expect(first({ ...map, do: { uses: 'tool:x', ...call }, concurrency: 10, tolerate: 0 })).toBe(JSON.stringify(map))
    const field = { type: 'string' }
    expect(canonicalOf(doc([tool('a')], { input: { x: { ...field, required: true, secret: false, properties: {} } } }))).toContain(
      '{"x":{"type":"string"}}',
    )
  })

  it('keeps what differs in meaning from absent', () => {
    const kept = { compensate_on: [], output: {} }
    expect(canonicalOf(doc([tool('a')], kept))).toContain('"output":{},"compensate_on":[]')
    expect(canonicalOf(doc([tool('a')], { compensate_on: ['parked'], input: {} }))).toBe(canonicalOf(doc([tool('a')])))
    expect(first(tool('a', { with: { a: null, b: {}, c: [] } }))).toContain('"with":{"a":null,"b":{},"c":[]}')
  })

  it('puts steps after what they wait for, and otherwise leaves their order', () => {
    expect(ids({ d: ['a'], b: [], a: ['b'], c: [] })).toEqual(['b', 'a', 'd', 'c'])
    expect(ids({ z: [], y: ['z'], x: [] })).toEqual(['z', 'y', 'x'])
  })

  it('writes numbers as ECMAScript does, and -0 as 0', () => {
    const text =
      '{"spec":1.0,"slug":"ab","title":"t","steps":[{"id":"a","uses":"tool:x","after":[],"with":{"v":[1.0,-0,-0.0e5,1e2,1E-7,0.10]}}]}'
    expect(canonicalOf(text)).toContain('"v":[1,0,0,100,1e-7,0.1]')
  })

  it('keeps a member called __proto__', () => {
    expect(first(tool('a', { with: JSON.parse('{"__proto__":{"x":1},"constructor":2}') }))).toContain(
      '"with":{"__proto__":{"x":1},"constructor":2}',
    )
  })
})

/** Properties may be drawn on a busy machine. */
const PATIENT = { timeout: effort(60_000) }

describe('for every valid document', () => {
  it('the canonical form is a fixed point, and its hash too', PATIENT, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const once = validateWorkflow(spec)
        if (!once.ok) throw new Error(JSON.stringify(once.problems))
        const twice = parseWorkflow(once.canonical)
        if (!twice.ok) throw new Error(JSON.stringify(twice.problems))
        expect([twice.canonical, twice.hash]).toEqual([once.canonical, once.hash])
        expect(twice.spec).toEqual(once.spec)
      }),
      { numRuns: effort(25) },
    )
  })

  it('nothing is lost but defaults', PATIENT, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const result = validateWorkflow(spec)
        if (!result.ok) throw new Error(JSON.stringify(result.problems))
        expect(sorted(result.spec)).toEqual(sorted(withoutDefaults(spec)))
      }),
      { numRuns: effort(25) },
    )
  })

  it('white space and the order of fields change nothing', PATIENT, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const turned = Object.fromEntries(Object.entries({ ...spec, steps: spec.steps.map(reversed) }).toReversed())
        expect(canonicalOf(JSON.stringify(turned, null, '\t'))).toBe(canonicalOf(spec))
      }),
      { numRuns: effort(15) },
    )
  })
})

// Written here a second time on purpose: what the format's page says is the default of each field.
const STEP_DEFAULTS = {
  join: 'all',
  with: {},
  retry: {},
  tools: [],
  unattended: false,
  max_turns: 10,
  output: {},
  channels: ['web'],
  ttl_seconds: 259_200,
  show: {},
  form: {},
  approvals: 1,
  self_approval: false,
  concurrency: 10,
  tolerate: 0,
}
const RETRY_DEFAULTS = { max_attempts: 5, base_seconds: 1, max_seconds: 300 }
const FIELD_DEFAULTS = { required: true, properties: {}, secret: false }
type Loose = Record<string, unknown>

const sorted = ({ steps, ...rest }: WorkflowSpec) => ({ ...rest, steps: steps.toSorted((a, b) => (a.id < b.id ? -1 : 1)) })
const without = (object: Loose, defaults: Loose): Loose =>
  Object.fromEntries(Object.entries(object).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key])))
const mapped = (object: object, of: (value: Loose) => Loose): Loose =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, of(value as Loose)]))
/** An object with some of its members replaced, where it has them. */
const changed = (object: Loose, changes: Record<string, (value: never) => unknown>): Loose =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, changes[key]?.(value as never) ?? value]))

function fieldOf(field: Loose): Loose {
  return without(changed(field, { items: fieldOf, properties: fieldsOf }), FIELD_DEFAULTS)
}
function fieldsOf(fields: object): Loose {
  return mapped(fields, fieldOf)
}
function bodyOf(body: Loose): Loose {
  const inner = {
    do: bodyOf,
    retry: (retry: Loose) => without(retry, RETRY_DEFAULTS),
    compensate: (undo: Loose) => without(undo, { with: {} }),
    form: fieldsOf,
    output: fieldsOf,
  }
  const dependent = {
    timeout_seconds: body.uses === 'agent' ? 3600 : 300,
    require_sign_in: Number(body.approvals ?? 1) > 1,
  }
  return without(changed(body, inner), { ...STEP_DEFAULTS, ...dependent })
}
function withoutDefaults(spec: WorkflowSpec): WorkflowSpec {
  const steps = spec.steps.map((step) => bodyOf(step as unknown as Loose))
  return without({ ...spec, input: fieldsOf(spec.input ?? {}), steps }, { input: {}, compensate_on: ['parked'] }) as unknown as WorkflowSpec
}

function reversed(step: object): object {
  return Object.fromEntries(Object.entries(step).toReversed())
}
