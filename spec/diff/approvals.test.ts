import { describe, expect, it } from 'vitest'
import { diff, diffText, type Step, validateWorkflow, type WorkflowSpec } from '..'

function flow(steps: Step[], limit?: number): WorkflowSpec {
  const amount = { type: 'number' } as const
  const input = {
    amount,
    b: amount,
    list: { type: 'array' },
    limit: { ...amount, required: false, ...(limit === undefined ? {} : { default: limit }) },
  }
  const parsed = validateWorkflow({ spec: 1, slug: 'a-flow', title: 'A flow', input, steps })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.spec
}
const route: Step = {
  id: 'route',
  uses: 'choice',
  after: [],
  branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: '${input.limit}' } }, { name: 'small' }],
}
const gate = (more: object = {}): Step =>
  ({ id: 'ask', uses: 'approve', after: [], role: 'boss', title: 'Sign off', show: { amount: '${input.amount}' }, ...more }) as Step
const pay = (amount: string, more: object = {}): Step =>
  ({ id: 'pay', uses: 'tool:pay', after: ['ask'], with: { amount }, ...more }) as Step
const steps = [route, gate({ after: ['route.large'] }), pay('${input.amount}', { after: ['route.small', 'ask'], join: 'any' })]
const changed = (a: WorkflowSpec, b: WorkflowSpec, locale?: string) => diffText(diff(a, b), locale)

describe('a difference', () => {
  it('says that the default of an input decides whether an approval asks', () => {
    expect(diff(flow(steps, 500), flow(steps, 500_000)).approvals).toEqual([
      { step: 'ask', kind: 'threshold', input: 'limit', from: 500, to: 500_000 },
    ])
    expect(changed(flow(steps, 500), flow(steps, 500_000))).toContain(
      'The condition that decides whether “Sign off” asks depends on “limit”, whose default changed from 500 to 500,000.',
    )
    expect(changed(flow(steps), flow(steps, 5), 'es')).toContain('de ninguno a 5.')
    // One that no decision before the approval looks at is no threshold.
    expect(diff(flow([gate()], 500), flow([gate()], 5)).approvals).toEqual([])
  })

  it('says that a step acts on what its approval does not show', () => {
    const before = flow([gate(), pay('${input.amount}')])
    expect(diff(before, flow([gate(), pay('${input.b}')])).approvals).toEqual([
      { step: 'ask', kind: 'weakened', why: [{ code: 'acts_on_unseen', step: 'pay', references: ['${input.b}'] }] },
    ])
    expect(changed(before, flow([gate(), pay('${input.b}')]))).toContain('it does not show ${input.b}, which “pay” now acts on')
    expect(diff(before, flow([gate({ show: { amount: '${input.amount}', b: '${input.b}' } }), pay('${input.b}')])).approvals).toEqual([])
    expect(diff(flow([gate(), pay('${input.b}')]), before).approvals).toEqual([])
  })

  it('says that one call became many, and not that many became one', () => {
    const each = pay('', { uses: 'map', with: undefined, over: '${input.list}', do: { uses: 'tool:pay' } })
    const [one, many] = [flow([gate(), pay('${input.amount}')]), flow([gate(), JSON.parse(JSON.stringify(each)) as Step])]
    expect(diff(one, many).effects).toEqual([{ step: 'pay', uses: 'tool:pay', effect: null, by: 'each', first: false }])
    expect(changed(one, many)).toContain('“pay” runs “pay” for each of many')
    expect(diff(many, one).effects).toEqual([])
  })

  it('knows an approval again under another id, and what became weaker with it', () => {
    const before = flow([gate(), pay('${input.amount}')])
    const renamed = (more: object, after = ['sign']) => flow([gate({ id: 'sign', ...more }), pay('${input.amount}', { after })])
    expect(diff(before, renamed({})).approvals).toEqual([])
    expect(diff(before, renamed({ self_approval: true })).approvals).toEqual([
      { step: 'sign', kind: 'weakened', why: [{ code: 'self_approval' }] },
    ])
    expect(diff(before, renamed({}, [])).approvals).toMatchObject([{ step: 'sign', why: [{ code: 'can_be_skipped' }] }])
    expect(diff(before, renamed({ role: 'clerk' })).approvals).toMatchObject([{ step: 'ask', kind: 'removed' }])
  })

  it('is told without braces, and counts one as one', () => {
    const text = changed(flow([gate({ approvals: 2 })]), flow([gate({ approvals: 1, show: {} })]))
    expect(text).toContain('one approval is enough instead of 2')
    expect(text).toContain('show: no longer “amount”')
    expect(text).not.toMatch(/[{}]/)
  })
})
