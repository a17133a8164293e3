import { expect, expectTypeOf, test } from 'vitest'
import { defineTool, defineWorkflow, field, InvalidWorkflowError, named, z, type Ref, type Workflow } from './index'
import { mistakes } from './define-workflow.type-test'
import type { Builder } from './workflow/builder'
import type { InputFields } from './workflow/field'

const odd = defineTool({
  name: 'odd.names',
  title: 'T',
  description: 'D',
  effect: 'read',
  input: z.object({ text: z.string().optional() }),
  output: z.object({
    constructor: z.string(),
    // oxlint-disable-next-line unicorn/no-thenable -- whether such names are safe is what is tested
    then: z.string(),
    toJSON: z.string(),
    ['__proto__']: z.object({ x: z.string() }),
    toString: z.string(),
    hasOwnProperty: z.string(),
    'a.b': z.string(),
    '': z.string(),
  }),
  run: () => Promise.reject(new Error('never run')),
})

/** What is wrong with a workflow of these steps. */
function problemsOf(build: (w: Builder<{ text: ReturnType<typeof field.string> }>) => unknown): {
  message: string
  found: [string, string][]
} {
  try {
    defineWorkflow(
      { slug: 'a-flow', title: 'A', input: { text: field.string() } },
      (w) => void build(w as unknown as Parameters<typeof build>[0]),
    )
  } catch (error) {
    if (!(error instanceof InvalidWorkflowError)) throw error
    return { message: error.message, found: error.problems.map(({ code, path }) => [code, path]) }
  }
  throw new Error('nothing is wrong with it')
}

/** As somebody writes it whom no compiler stops. */
const loose = (value: unknown) => value as never

test('at least 25 different mistakes do not compile', () => {
  // That they do not is for tsc to say, which is one of the checks; here only that they are still there.
  expect(Object.keys(mistakes).length).toBeGreaterThanOrEqual(70)
})

test('every problem is listed, in the order of the document, by its step and its place', () => {
  const { message, found } = problemsOf((w) => {
    const first = w.approve('first', { after: [], role: 'Not A Role' })
    w.call('first', odd, { after: [first.approved, first.rejected], with: { text: '${input.text}' } })
    w.wait('pause', { after: [], join: 'any', seconds: -1 })
  })
  expect(found).toEqual([
    ['invalid_value', '/steps/0/role'],
    ['duplicate_id', '/steps/1/id'],
    ['never_starts', '/steps/1/after'],
    ['invalid_reference', '/steps/1/with/text'],
    ['field_not_allowed', '/steps/2/join'],
    ['invalid_value', '/steps/2/seconds'],
  ])
  expect(message).toMatch(/^The workflow 'a-flow' is not valid:\n- step 'first', role: must match/)
  expect(message).toContain("\n- step 'first', with.text: a text with '${' is no value")
})

test('an item means something only in the map that gave it', () => {
  let item: Ref<string> | undefined
  const outside = problemsOf((w) => {
    w.map('all', { after: [], over: ['a'], do: (each) => (item = loose(each.item)) && each.call(odd, {}) })
    w.call('b', odd, { after: [], with: { text: item } })
  })
  expect(outside.found).toEqual([['reference_not_allowed', '/steps/1/with/text']])
  const elsewhere = problemsOf((w) => {
    w.map('all', { after: [], over: ['a'], do: (each) => (item = loose(each.item)) && each.call(odd, {}) })
    w.map('more', { after: [], over: ['a'], do: (each) => each.call(odd, { with: { text: item } }) })
  })
  expect(elsewhere.found).toEqual([['reference_not_allowed', '/steps/1/do/with/text']])
})

test("the output of an item means something only in that item's compensation", () => {
  let output: unknown
  const { found } = problemsOf((w) => {
    const all = w.map('all', {
      after: [],
      over: ['a'],
      do: (each) => each.call(odd, { compensate: (done) => (output = done.then) && w.undo(odd, {}) }),
    })
    w.call('b', odd, { after: [all], with: { text: loose(output) } })
  })
  expect(found).toEqual([['reference_not_allowed', '/steps/1/with/text']])
})

test('references and steps of another workflow are refused', () => {
  let other: Builder<InputFields> | undefined
  let step: unknown
  defineWorkflow({ slug: 'b-flow', title: 'B', input: { text: field.string() } }, (w) => {
    other = loose(w)
    step = w.call('a', odd, { after: [] })
  })
  const { found } = problemsOf((w) => {
    w.call('a', odd, { after: [], with: { text: loose(other?.input.text) } })
    w.call('b', odd, { after: [loose(step)], with: { text: w.input.text } })
  })
  expect(found).toEqual([
    ['reference_not_allowed', '/steps/0/with/text'],
    ['unknown_step', '/steps/1/after/0'],
  ])
  expect(() => other?.wait('late', { after: [], seconds: 1 })).toThrow(/'late' comes too late/)
})

test('what the compiler would have stopped is stopped here too', () => {
  const { found } = problemsOf((w) => {
    const step = w.call('a', odd, { after: [] })
    const route = w.choice('route', { after: [], branches: { yes: loose(true) } })
    w.call('b', odd, { after: [loose(route), loose({})], with: { text: loose(step) } })
    w.call('c', odd, { after: loose('a'), ...({ timeoutSecond: 5 } as {}) })
    w.call('d', odd, { after: [], with: { text: loose([new Map(), Number.NaN, undefined]) } })
    w.call('e', odd, { after: [], title: loose(w.input.text), compensate: () => loose(odd) })
    w.map('f', { after: [], over: [], do: () => loose(undefined) })
  })
  expect(found.map(([code, path]) => `${code} ${path}`)).toEqual([
    'wrong_type /steps/1/branches/0',
    'port_required /steps/2/after/0',
    'unknown_step /steps/2/after/1',
    'not_json /steps/2/with/text',
    'wrong_type /steps/3/after',
    'unknown_field /steps/3/timeout_second',
    'not_json /steps/4/with/text/0',
    'not_json /steps/4/with/text/1',
    'not_json /steps/4/with/text/2',
    'reference_not_allowed /steps/5/title',
    'wrong_type /steps/5/compensate',
    'wrong_type /steps/6/do',
  ])
})

test('options that the format does not know are named, with the nearest that it does', () => {
  const { message } = problemsOf((w) => w.call('a', odd, { after: [], ...({ timeoutSecond: 5, retry: { maxAttempt: 3 } } as {}) }))
  expect(message).toContain("did you mean 'timeout_seconds'")
  expect(message).toContain("did you mean 'max_attempts'")
})

const ref = (member: string) => `\${steps.a.output.${member}}`

test('a member may have any name that a reference can say', () => {
  const built = defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => {
    const { output } = w.call('a', odd, { after: [] })
    return {
      a: output.constructor as unknown as Ref<string>,
      b: output.then,
      c: output.toJSON,
      d: w.at(loose(output), '__proto__') as unknown as Ref<string>,
      e: Reflect.get(Reflect.get(output, '__proto__') as object, 'x') as Ref<string>,
      f: output.toString as unknown as Ref<string>,
      g: output.hasOwnProperty as unknown as Ref<string>,
    }
  })
  expect(built.output).toStrictEqual({
    a: ref('constructor'),
    b: ref('then'),
    c: ref('toJSON'),
    d: ref('__proto__'),
    e: ref('__proto__.x'),
    f: ref('toString'),
    g: ref('hasOwnProperty'),
  })
})

test('a name that a reference cannot say is refused, not misread', () => {
  const { found } = problemsOf((w) => {
    const { output } = w.call('a', odd, { after: [] })
    w.call('b', odd, { after: [], with: { text: output['a.b'] } })
    w.call('c', odd, { after: [], with: { text: output[''] } })
  })
  expect(found).toEqual([
    ['invalid_reference', '/steps/1/with/text'],
    ['invalid_reference', '/steps/2/with/text'],
  ])
})

test('a key that JavaScript treats apart stays what it is in the document', () => {
  const built = defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => {
    w.call('a', 'x.y', { after: [], with: JSON.parse('{ "__proto__": { "a": 1 }, "constructor": 2 }') as { constructor: number } })
  })
  expect(JSON.stringify(built.steps[0])).toContain('"with":{"__proto__":{"a":1},"constructor":2}')
})

const used = (use: (ref: Ref<{ a: string }>) => unknown) => () =>
  defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => void use(w.call('a', named.tool<{}, { a: string }>('x'), { after: [] }).output))

test('a reference put into a text, computed with or copied says what to do instead', async () => {
  expect(used((ref) => `Hello ${loose(ref)}`)).toThrow(/\$\{steps\.a\.output\} cannot be put into a text.*Leave such work to a tool/)
  expect(used((ref) => (ref as unknown as number) * 2)).toThrow(/computed with/)
  expect(used((ref) => ({ ...ref }))).toThrow(/no members to list or copy/)
  let held: Ref<string> | undefined
  used((ref) => (held = ref.a))()
  expect(await held).toBe(held)
})

test('a value that holds itself is a problem, not a hang', () => {
  const circle: unknown[] = []
  circle.push(circle)
  expect(problemsOf((w) => w.call('a', 'x', { after: [], with: { circle: loose(circle) } })).found[0]?.[0]).toBe('too_deep')
})

test('what is built is plain: no prototype, no function, nothing but JSON', () => {
  const built = defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => void w.wait('a', { after: [], seconds: 1 }))
  expect(structuredClone(built)).toStrictEqual(built)
  expect(Reflect.ownKeys(built)).toEqual(['spec', 'slug', 'title', 'steps'])
})

test('types say what is there', () => {
  defineWorkflow(
    {
      slug: 'a-flow',
      title: 'A',
      input: {
        name: field.string({ required: false }),
        city: field.string({ required: false, default: 'Utrecht' }),
        language: field.string({ enum: ['es', 'nl'] }),
        lines: field.array(field.object({ price: field.number(), note: field.string({ required: false }) })),
        vault: field.object({ user: field.string(), key: field.string({ secret: true }) }, { required: false }),
      },
    },
    (w) => {
      expectTypeOf(w.input.name).toEqualTypeOf<Ref<string | null>>()
      expectTypeOf(w.input.city).toEqualTypeOf<Ref<string>>()
      expectTypeOf(w.input.language).toEqualTypeOf<Ref<'es' | 'nl'>>()
      expectTypeOf(w.input.vault.user).toEqualTypeOf<Ref<string | null>>()
      expectTypeOf(w.at(w.input.lines, 0).note).toEqualTypeOf<Ref<string | null>>()
      const all = w.map('all', {
        after: [],
        over: w.input.lines,
        do: (each) => {
          expectTypeOf(each.item.price).toEqualTypeOf<Ref<number>>()
          expectTypeOf(each.index).toEqualTypeOf<Ref<number>>()
          return each.call(named.tool<{ n: number }, { ok: boolean; why?: string }>('x.y'), { with: { n: each.item.price } })
        },
      })
      expectTypeOf(all.output.results).toEqualTypeOf<Ref<({ ok: boolean; why?: string } | null)[]>>()
      expectTypeOf(w.at(all.output.results, 3).why).toEqualTypeOf<Ref<string | null>>()
      expectTypeOf(w.at(all.output.failed, 0).error.code).toEqualTypeOf<Ref<string | null>>()
      expectTypeOf(all.error).toEqualTypeOf<Ref<{ code: string; message: string } | null>>()
      const gate = w.approve('gate', { after: [all], role: 'clerk', form: { ok: field.boolean() } })
      expectTypeOf(gate.output.decided_by).toEqualTypeOf<Ref<string | null>>()
      expectTypeOf(gate.output.form.ok).toEqualTypeOf<Ref<boolean | null>>()
      const found = w.call('found', 'crm.find', { after: [gate] })
      expectTypeOf(w.at(w.at(found.output, 'person'), 'name')).toEqualTypeOf<Ref<unknown>>()
      const route = w.choice('route', { after: [found], branches: { a: w.when(found.output).exists(), b: w.otherwise } })
      expectTypeOf(w.taken(route)).toEqualTypeOf<Ref<'a' | 'b'>>()
      expectTypeOf(w.present(w.input.name)).toEqualTypeOf<Ref<string>>()
    },
  )
})

test('a workflow knows what it is started with and what it gives', () => {
  const flow = defineWorkflow(
    { slug: 'a-flow', title: 'A', input: { a: field.number(), b: field.string({ required: false }), c: field.boolean({ default: true }) } },
    (w) => ({ a: w.input.a, list: [w.wait('w', { after: [], seconds: 1 }).output.waited_until], n: null }),
  )
  expectTypeOf(flow).toExtend<Workflow<{ a: number; b?: string | null; c?: boolean }, { a: number; list: string[]; n: null }>>()
  const silent = defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => void w.wait('w', { after: [], seconds: 1 }))
  expectTypeOf(silent).toExtend<Workflow<{}, null>>()
  expect(silent).not.toHaveProperty('output')
})

const tooLate = async (w: Builder<{}>) => {
  w.wait('a', { after: [], seconds: 1 })
  await Promise.resolve()
  w.wait('b', { after: [], seconds: 1 })
}

test('an async function is told not to be one, and what it adds too late ends no process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    expect(() => defineWorkflow({ slug: 'a-flow', title: 'A' }, loose(tooLate))).toThrow(
      /^The workflow 'a-flow' is not valid:\n- build gives a promise: it must not be async/,
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
