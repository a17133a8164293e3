import { describe, expect, it } from 'vitest'
import { parseWorkflow, type Step, warningsOf } from '..'
import { EXAMPLE } from '../testing/example'
import { CATALOGUE, gate, of, post, warned } from '../testing/warned'

const shownBy = (more: object) =>
  of('effect_not_shown', warned([gate('ask', [], more), post('pay', ['ask'], { amount: '${input.amount}', memo: '${input.reason}' })]))
const partShown = (show: string, used: string) =>
  of('effect_not_shown', warned([gate('ask', [], { show: { a: show } }), post('pay', ['ask'], { amount: 1, memo: used })]))
const made = (show: object): Step[] => [
  gate('ask', [], { show }),
  { id: 'make', uses: 'tool:any', after: ['ask'], with: { value: '${input.reason}' } },
  post('pay', ['make'], { amount: 1, memo: '${steps.make.output.text}' }),
]
const skipping = (...steps: Step[]) => warned(steps).filter(({ code }) => code === 'gate_can_be_skipped')
const skipped = (...steps: Step[]) => of('gate_can_be_skipped', warned(steps))
const unused = (...steps: Step[]) => of('approval_unused', warned(steps))
const pay = (...after: string[]) => post('pay', after, undefined, { join: 'any' })

const notShown = (step: Step, show: object = {}) => of('effect_not_shown', warned([gate('ask', [], { show }), step]))
const agent = (more: object): Step => ({
  id: 'act',
  uses: 'agent',
  after: ['ask'],
  goal: '${input.reason}',
  context: '${input.amount}',
  ...more,
})

describe('approvals', () => {
  const route: Step = {
    id: 'route',
    uses: 'choice',
    after: [],
    branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: 500 } }, { name: 'small' }],
  }

  it('that must be given and refused at once are warned of where they are waited for, and only there', () => {
    const no: Step = { id: 'no', uses: 'tool:any', after: ['ask.rejected', 'ask.expired'], join: 'any' }
    const never = (...steps: Step[]) => of('step_never_starts', warned([gate('ask', []), no, ...steps]))
    const both: Step = { id: 'both', uses: 'tool:any', after: ['ask', 'no'] }
    expect(never(both, { id: 'behind', uses: 'tool:any', after: ['both'] })).toEqual(['/steps/2/after'])
    expect(never({ ...both, join: 'any' })).toEqual([])
  })

  it('that do not show what is acted on are warned of', () => {
    expect(shownBy({ show: { a: '${input.amount}', b: '${input.reason}' } })).toEqual([])
    expect(shownBy({ show: { a: '${input.amount}' }, message: '${input.reason}' })).toEqual([])
    expect(shownBy({ show: { a: { nested: ['${input.amount}'] } } })).toEqual(['/steps/1/with/memo'])
    expect(shownBy({})).toEqual(['/steps/1/with/amount', '/steps/1/with/memo'])
  })

  it('show what is part of what they show, but not what it is part of', () => {
    expect(partShown('${input.person}', '${input.person.name}')).toEqual([])
    expect(partShown('${input.person.name}', '${input.person}')).toEqual(['/steps/1/with/memo'])
  })

  it('are not asked to show secrets, what reads only, or what they themselves bring', () => {
    const after: Step[] = [
      gate('ask', [], { form: { why: { type: 'string' } } }),
      { id: 'list', uses: 'tool:ledger.list', after: ['ask'], with: { limit: '${input.small}' } },
      post('pay', ['list'], { amount: 1, memo: '${steps.ask.output.form.why}', key: '${input.key}' }),
    ]
    expect(of('effect_not_shown', warned(after))).toEqual([])
  })

  it('are asked to show what an agent that acts alone is given, and what a child workflow is', () => {
    const both = ['/steps/1/goal', '/steps/1/context']
    expect(notShown(agent({ unattended: true, tools: ['mail.send'] }))).toEqual(both)
    expect(notShown(agent({ unattended: true, tools: ['mail.send'] }), { a: '${input.amount}', r: '${input.reason}' })).toEqual([])
    expect(notShown(agent({ unattended: true, tools: ['ledger.list'] }))).toEqual([])
    expect(notShown(agent({ tools: ['mail.send'] }))).toEqual([])
    const child: Step = { id: 'act', uses: 'workflow:pay-out', after: ['ask'], with: { amount: '${input.amount}' } }
    expect(notShown(child)).toEqual(['/steps/1/with/amount'])
    expect(notShown(child, { a: '${input.amount}' })).toEqual([])
    const each: Step = {
      id: 'act',
      uses: 'map',
      after: ['ask'],
      over: '${input.people}',
      do: { uses: 'workflow:pay-out', with: { amount: '${input.amount}' } },
    }
    expect(notShown(each)).toEqual(['/steps/1/over', '/steps/1/do/with/amount'])
  })

  it('need not show what stands in the workflow itself, or what a compensation undoes', () => {
    const undo = { uses: 'tool:ledger.reverse' as const, with: { entry: '${steps.pay.output.entry_id}', why: '${input.reason}' } }
    expect(
      of('effect_not_shown', warned([gate('ask', []), post('pay', ['ask'], { amount: 5, memo: 'rent' }, { compensate: undo })])),
    ).toEqual([])
  })

  it('are looked through: what a later step makes of a value is that value', () => {
    expect(of('effect_not_shown', warned(made({ r: '${input.reason}' })))).toEqual([])
    expect(of('effect_not_shown', warned(made({})))).toEqual(['/steps/1/with/value', '/steps/2/with/memo'])
  })

  it('that nobody waits for are warned of, unless everything that changes something came before', () => {
    const small = post('pay', ['route.small', 'route.large'], undefined, { join: 'any' })
    expect(unused(route, gate('ask', ['route.large'], {}), small)).toEqual(['/steps/1'])
    expect(unused(gate('ask', [], {}), post('pay', []))).toEqual(['/steps/0'])
    expect(unused(post('pay', []), gate('seen', ['pay'], {}))).toEqual([])
    expect(unused(gate('ask', [], {}), { id: 'list', uses: 'tool:ledger.list', after: [] })).toEqual([])
    expect(unused(gate('ask', [], {}), post('pay', ['ask']))).toEqual([])
    expect(unused(gate('ask', [], {}), post('undo', ['ask.rejected']), post('pay', []))).toEqual([])
  })

  it('that can be gone around are warned of where the ways meet, with the condition in words', () => {
    const example = parseWorkflow(EXAMPLE)
    if (!example.ok) throw new Error('the example is refused')
    expect(warningsOf(example.spec, CATALOGUE)).toEqual([
      {
        code: 'gate_can_be_skipped',
        path: '/steps/2/after/0',
        message: "'pay' can start without the approval 'sign_off': if amount is at most 500".replace('amount', 'Amount (EUR)'),
      },
    ])
    const words = (...steps: Step[]) => skipping(...steps).map(({ message }) => message.split(': ')[1])
    expect(words(gate('ask', []), pay('ask', 'ask.expired'))).toEqual(['if nobody answers “ask” in time'])
    // A join decides when everything before it is settled: beside another entry a gate is waited for, and its rejection ends the run …
    const wait: Step = { id: 'w', uses: 'wait', after: [], seconds: 1 }
    expect(words(gate('ask', []), wait, pay('ask', 'w'))).toEqual([])
    expect(words(gate('ask', []), wait, post('made', ['ask']), pay('made', 'w'))).toEqual([])
    // … unless somebody follows the rejection, or the gate is skipped.
    expect(words(gate('ask', []), wait, post('tell', ['ask.rejected']), pay('ask', 'w'))).toEqual(['if “ask” is rejected'])
    expect(words(route, gate('ask', ['route.large']), wait, pay('ask', 'w'))).toHaveLength(1)
    // Once is enough: what stands behind is reached the same way.
    expect(
      skipping(route, gate('ask', ['route.large']), post('a', ['route.small', 'ask'], undefined, { join: 'any' }), post('b', ['a'])),
    ).toHaveLength(1)
  })

  it('are not gone around by what only reads, by the answer to a rejection, or by another approval before', () => {
    expect(skipped(gate('ask', []), { id: 'l', uses: 'tool:ledger.list', after: ['ask', 'ask.rejected'], join: 'any' })).toEqual([])
    expect(skipped(gate('ask', []), post('tell', ['ask.rejected', 'ask.expired'], undefined, { join: 'any' }))).toEqual([])
    expect(skipped(gate('ask', []), gate('more', ['ask']), post('pay', ['ask', 'more'], undefined, { join: 'any' }))).toEqual([])
    expect(skipped(gate('ask', []), post('pay', ['ask']), post('more', ['pay', 'pay.failed'], undefined, { join: 'any' }))).toEqual([])
  })
})
