import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { diff, diffText, parseWorkflow, type Step, touchedSteps, validateWorkflow, type WorkflowSpec } from '..'
import { arbitraryMutation, arbitrarySpec } from '../testing/arbitrary-spec'
import { EXAMPLE } from '../testing/example'

function valid(spec: unknown): WorkflowSpec {
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return spec as WorkflowSpec
}
/** The example, changed. */
const example = (change: (spec: WorkflowSpec) => unknown = () => {}): WorkflowSpec => {
  const spec = JSON.parse(EXAMPLE) as WorkflowSpec
  change(spec)
  return valid(spec)
}
const step = (spec: WorkflowSpec, id: string) => spec.steps.find((one) => one.id === id) as Step & Record<string, unknown>
const flow = (...steps: Step[]) => valid({ spec: 1, slug: 'a-flow', title: 'A flow', steps })
const gate = (more: object = {}): Step => ({ id: 'ask', uses: 'approve', after: [], role: 'boss', ...more })
const pay = (after: string[], more: object = {}): Step => ({ id: 'pay', uses: 'tool:ledger.post', after, ...more }) as Step
const shows = (value: unknown, more: object = {}) => ({ show: { who: value, ...more } })
const weakness = (from: object, to: object) => diff(flow(gate(from)), flow(gate(to))).approvals

const TOOLS = new Map(
  (['read', 'write', 'once'] as const).map((effect) => [`test.${effect}`, { title: effect, effect, input: true, output: true }]),
)

const waiting = (...after: string[]) => flow({ id: 'a', uses: 'wait', after: [], seconds: 1 }, gate(), pay(after, { join: 'any' }))
const agent = (unattended: boolean): Step => ({
  id: 'a',
  uses: 'agent',
  after: [],
  goal: 'x',
  tools: ['test.read', 'test.once'],
  unattended,
})

describe('diff', () => {
  it('of a document and itself is empty, however it is written', () => {
    const parsed = parseWorkflow(EXAMPLE)
    if (!parsed.ok) throw new Error('the example is refused')
    const same = diff(example(), parsed.spec)
    expect(same).toMatchObject({ same: true, approvals: [], effects: [], settings: [] })
    expect(touchedSteps(same)).toEqual([])
    expect(diffText(same)).toBe('Nothing changed.\n')
    expect(diffText(same, 'es')).toBe('No ha cambiado nada.\n')
  })

  it('names the smallest parts of a step that changed, from what to what', () => {
    const changed = example((spec) => {
      step(spec, 'route').branches = [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: 900 } }, { name: 'small' }]
      step(spec, 'pay').with = { amount: '${input.amount}', note: 'x' }
      step(spec, 'sign_off').show = { reason: '${input.reason}', amount: '${input.amount}' }
    })
    expect(diff(example(), changed).steps.changed).toEqual([
      { step: 'route', fields: [{ path: '/branches/0/when/right', from: 500, to: 900 }] },
      {
        step: 'sign_off',
        fields: [
          {
            path: '/show',
            from: { amount: '${input.amount}', reason: '${input.reason}' },
            to: { reason: '${input.reason}', amount: '${input.amount}' },
          },
        ],
      },
      {
        step: 'pay',
        fields: [
          { path: '/with/memo', from: '${input.reason}' },
          { path: '/with/note', to: 'x' },
        ],
      },
    ])
  })

  it('tells edges that moved from those that came and went', () => {
    expect(diff(waiting('a', 'ask'), waiting('a', 'ask.rejected')).edges).toEqual({
      added: [],
      removed: [],
      moved: [{ step: 'pay', from: 'ask', to: 'ask.rejected' }],
    })
    expect(diff(waiting('ask'), waiting('ask', 'a')).edges).toEqual({ added: [{ step: 'pay', entry: 'a' }], removed: [], moved: [] })
    expect(diff(waiting('ask', 'a'), waiting('a')).edges.removed).toEqual([{ step: 'pay', entry: 'ask' }])
    expect(diff(waiting('ask', 'a'), waiting('a', 'ask')).steps.changed).toEqual([
      { step: 'pay', fields: [{ path: '/after', from: ['ask', 'a'], to: ['a', 'ask'] }] },
    ])
  })

  it('tells what became of inputs, results and the workflow itself, order included', () => {
    const changed = example((spec) => {
      const { reason, amount } = spec.input ?? {}
      if (!reason || !amount) throw new Error('the example has other inputs')
      spec.input = { reason, amount: { ...amount, minimum: 1 }, more: { type: 'boolean' } }
      spec.output = {}
      spec.title = 'Expenses'
      spec.compensate_on = []
    })
    const { input, output, settings, same } = diff(example(), changed)
    expect(input).toEqual({
      added: ['more'],
      removed: [],
      changed: [{ name: 'amount', fields: [{ path: '/minimum', from: 0, to: 1 }] }],
      reordered: true,
    })
    expect(output).toMatchObject({ removed: ['entry'] })
    expect(settings).toEqual([
      { path: '/title', from: 'Expense approval', to: 'Expenses' },
      { path: '/compensate_on', to: [] },
    ])
    expect(same).toBe(false)
    expect(diff(flow(gate()), { ...flow(gate()), output: {} }).settings).toEqual([{ path: '/output', to: {} }])
  })

  it('says which approvals are gone', () => {
    expect(diff(flow(gate(), pay(['ask'])), flow(pay([]))).approvals).toEqual([
      { step: 'ask', kind: 'removed' },
      { step: 'pay', kind: 'unasked', uses: ['tool:ledger.post'], from: [], to: [[]] },
    ])
    expect(diff(flow(gate()), flow({ id: 'ask', uses: 'wait', after: [], seconds: 1 })).approvals).toEqual([
      { step: 'ask', kind: 'removed' },
    ])
  })

  it.each([
    [{}, { role: 'clerk' }, { code: 'role_changed', from: 'boss', to: 'clerk' }],
    [{ approvals: 3 }, { approvals: 2 }, { code: 'fewer_approvals', from: 3, to: 2 }],
    [{}, { self_approval: true }, { code: 'self_approval' }],
    [{ require_sign_in: true }, {}, { code: 'no_sign_in' }],
    [{}, { channels: ['web', 'email'] }, { code: 'more_channels', channels: ['email'] }],
    [{ show: { a: 1, b: 2 } }, { show: { b: 2 } }, { code: 'shows_less', names: ['a'] }],
    [{ message: 'Look' }, {}, { code: 'message_removed' }],
    [{ message: '${run.id}' }, { message: 'Look' }, { code: 'message_tells_less' }],
  ])('says that an approval is weaker: %j to %j', (from, to, why) => {
    expect(weakness(from, to)).toEqual([{ step: 'ask', kind: 'weakened', why: [why] }])
    expect(
      weakness(to, from)
        .flatMap((change) => (change.kind === 'weakened' ? change.why : []))
        .filter(({ code }) => code !== 'role_changed'),
    ).toEqual([])
  })

  it('says that an approval shows less when another value stands under the same name', () => {
    const less = [{ step: 'ask', kind: 'weakened', why: [{ code: 'shows_less', names: ['who'] }] }]
    expect(weakness(shows('${principal.user_id}'), shows('somebody'))).toEqual(less)
    expect(weakness(shows(['${principal.user_id}', '${run.id}']), shows('${run.id}'))).toEqual(less)
    expect(weakness(shows('${run.id}'), shows('x', { run: '${run.id}' }))).toEqual([])
    expect(weakness(shows('x'), shows('y'))).toEqual([])
  })

  it('does not call another time to answer, other reminders or another form a weaker approval', () => {
    expect(
      weakness({}, { ttl_seconds: 60, remind_after_seconds: 3600, form: { a: { type: 'string' } }, title: 'x', message: 'y' }),
    ).toEqual([])
  })

  it('says that an approval can be gone around, by whichever way', () => {
    const wait: Step = { id: 'w', uses: 'wait', after: [], seconds: 1 }
    const skipped = [{ step: 'ask', kind: 'weakened', why: [{ code: 'can_be_skipped', steps: ['pay'] }] }]
    const before = flow(wait, gate(), pay(['ask']))
    expect(diff(before, flow(wait, gate(), pay(['w']))).approvals).toEqual(skipped)
    expect(diff(before, flow(wait, gate(), pay(['ask', 'ask.expired'], { join: 'any' }))).approvals).toEqual(skipped)
    // Beside another entry it is still waited for.
    expect(diff(before, flow(wait, gate(), pay(['ask', 'w'], { join: 'any' }))).approvals).toEqual([])
    expect(diff(flow(wait, gate(), pay(['w'])), before).approvals).toEqual([])
  })

  it('says what is new that may change something, and leaves out what only reads', () => {
    const write: Step = { id: 'w', uses: 'tool:test.write', after: [] }
    const before = flow(agent(false), write)
    const after = flow(
      agent(true),
      { ...write, compensate: { uses: 'tool:test.once' } },
      { id: 'again', uses: 'map', after: ['w'], over: [1], do: { uses: 'tool:test.write' } },
      { id: 'look', uses: 'tool:test.read', after: ['w'] },
      { id: 'job', uses: 'job:other', after: ['w'] },
    )
    expect(diff(before, after, { tools: TOOLS }).effects).toEqual([
      { step: 'a', uses: 'tool:test.once', effect: 'once', by: 'agent', first: true },
      { step: 'w', uses: 'tool:test.once', effect: 'once', by: 'undo', first: true },
      { step: 'again', uses: 'tool:test.write', effect: 'write', by: 'each', first: false },
      { step: 'job', uses: 'job:other', effect: null, by: 'call', first: true },
    ])
    expect(diff(before, after).effects.map(({ uses }) => uses)).toContain('tool:test.read')
  })

  it('is empty for a document and itself, and names exactly the steps that were touched', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(arbitraryMutation(), ({ before, after, touched }) => {
        expect(diff(before, structuredClone(before)).same).toBe(true)
        const parsed = validateWorkflow(after)
        if (!parsed.ok) return
        const change = diff(before, after, { tools: TOOLS })
        expect(touchedSteps(change)).toEqual(touched)
        // It is a function of the canonical content alone.
        expect(diff(before, parsed.spec, { tools: TOOLS })).toEqual(change)
        const { same, titles: _titles, ...parts } = change
        expect(/\[[^\]]|:true|"path"/.test(JSON.stringify(parts))).toBe(!same)
      }),
      { numRuns: effort(30) },
    )
  })

  it('is told in words, in both languages, whatever changed', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(arbitrarySpec(), arbitrarySpec(), fc.constantFrom('en', 'es'), (a, b, locale) => {
        const change = diff(a, b)
        const text = diffText(change, locale)
        expect(text).not.toMatch(/undefined|\[object/)
        expect(text.split('\n').length).toBeGreaterThan(touchedSteps(change).length)
      }),
      { numRuns: effort(20) },
    )
  })
})

describe('diffText', () => {
  const before = flow(gate({ title: 'Sign off', show: { amount: 1 } }), pay(['ask'], { title: 'Pay' }))
  const after = flow(
    gate({ title: 'Sign off', role: 'clerk', self_approval: true }),
    pay(['ask', 'ask.expired'], { title: 'Pay', join: 'any', compensate: { uses: 'tool:undo.it' } }),
  )

  it('tells a step that got another id from the one that had its title', () => {
    const renamed = { ...pay(['ask'], { title: 'Pay' }), id: 'pay2' } as Step
    const text = diffText(diff(before, flow(gate({ title: 'Sign off', show: { amount: 1 } }), renamed)))
    expect(text).toContain('“Pay” (pay)')
    expect(text).toContain('“Pay” (pay2)')
    expect(text).not.toContain('“Sign off” (')
  })

  it('begins with what approvals no longer hold back', () => {
    expect(diffText(diff(before, after))).toBe(`Approvals that hold back less, or in other cases
  “Sign off” is weaker: the role “clerk” decides instead of “boss”; whoever started the run may decide; it no longer shows “amount”; “Pay” can start without it.

What it may change now and could not before
  “Pay” is undone with “undo.it” (what it does is not known; no step did so before)

Steps
  ~ changed: “Sign off”
      role: from “boss” to “clerk”
      show: no longer “amount”
      self_approval: now yes
  ~ changed: “Pay”
      join: now “any”
      compensate: now “tool:undo.it”

What waits for what
  + “Pay” now also waits for “ask.expired”
`)
  })

  it('calls a step by its id where its title shows nothing', () => {
    expect(diffText(diff(flow(gate({ title: 'x' })), flow(gate({ title: ' ', role: 'clerk' }))))).toContain('“ask” is weaker')
  })

  it('says the same in Spanish', () => {
    expect(diffText(diff(before, after), 'es').split('\n').slice(0, 2)).toEqual([
      'Aprobaciones que frenan menos, o en otros casos',
      '  «Sign off» es más débil: decide el rol «clerk» en lugar de «boss»; quien inició la ejecución puede decidir; ya no muestra «amount»; «Pay» puede empezar sin ella.',
    ])
  })
})
