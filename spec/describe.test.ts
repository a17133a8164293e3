import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  approveSettings,
  compensateOn,
  describeStep,
  describeWorkflow,
  isFinal,
  kindOf,
  mapSettings,
  parseWorkflow,
  retryOf,
  RUN_STATUSES,
  type Step,
  timeoutSecondsOf,
  toolOf,
  type WorkflowSpec,
  workflowJsonSchema,
} from '.'
import { arbitrarySpec } from './testing/arbitrary-spec'
import { EXAMPLE } from './testing/example'

const example = (): WorkflowSpec => {
  const result = parseWorkflow(EXAMPLE)
  if (!result.ok) throw new Error('the example is refused')
  return result.spec
}

describe('describeWorkflow', () => {
  it('says in words what the example will do', () => {
    expect(describeWorkflow(example(), { 'ledger.post': 'Post to the ledger' })).toEqual([
      { step: 'route', sentence: 'Decision: if amount is more than 500, continues with sign off; otherwise continues with pay.' },
      { step: 'sign_off', sentence: 'Approval: asks somebody with the role manager.' },
      { step: 'pay', sentence: 'Runs Post to the ledger; undone with ledger.reverse.' },
    ])
  })

  it("uses the author's titles, for the step itself and for where a branch leads", () => {
    const spec = example()
    const titles = new Map([
      ['route', 'Large or small?'],
      ['sign_off', "Manager's approval"],
      ['pay', 'Pay'],
    ])
    for (const step of spec.steps) step.title = titles.get(step.id) ?? ''
    expect(describeWorkflow(spec).map(({ sentence }) => sentence)).toEqual([
      "Large or small? If amount is more than 500, continues with Manager's approval; otherwise continues with Pay.",
      "Manager's approval: asks somebody with the role manager.",
      'Pay: runs ledger.post; undone with ledger.reverse.',
    ])
  })

  it('says where a branch leads nowhere, and claims nothing where it cannot know', () => {
    const [route] = example().steps
    if (route === undefined) throw new Error('the example has no step')
    expect(describeStep(route)).toBe('Decision: if amount is more than 500, takes large; otherwise takes small.')
    const [alone] = describeWorkflow({ ...example(), steps: [route] })
    expect(alone?.sentence).toBe('Decision: if amount is more than 500, nothing follows; otherwise nothing follows.')
  })

  it('says what a map goes over', () => {
    const step: Step = { id: 'all', uses: 'map', after: [], over: '${steps.find.output.open_items}', do: { uses: 'tool:mail.send' } }
    expect(describeStep(step, new Map([['mail.send', 'Send a mail']]))).toBe('For each of open items of find, runs Send a mail.')
  })

  it('has one sentence for every step of every valid document', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const sentences = describeWorkflow(spec)
        expect(sentences).toHaveLength(spec.steps.length)
        const titled = new Map(spec.steps.map(({ id, title }) => [id, Boolean(title)]))
        for (const { step, sentence } of sentences) {
          expect(sentence).toMatch(
            titled.get(step) ? /^.+(runs|if|always|asks|for each) .*\.$/isu : /^(Runs|Decision|Approval|For each).*\.$/su,
          )
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('settings', () => {
  it('apply the defaults of the format', () => {
    const gate = { id: 'a', uses: 'approve' as const, after: [], role: 'r' }
    const usual = {
      ttlSeconds: 259_200,
      channels: ['web'],
      approvals: 1,
      selfApproval: false,
      requireSignIn: false,
      remindAfterSeconds: null,
    }
    expect(approveSettings(gate)).toEqual(usual)
    expect(approveSettings({ ...gate, approvals: 2 })).toEqual({ ...usual, approvals: 2, requireSignIn: true })
    expect(retryOf({})).toEqual({ maxAttempts: 5, baseSeconds: 1, maxSeconds: 300 })
    expect(retryOf({ retry: { base_seconds: 0 } })).toEqual({ maxAttempts: 5, baseSeconds: 0, maxSeconds: 300 })
    expect(timeoutSecondsOf({})).toBe(300)
    expect(mapSettings({ id: 'a', uses: 'map', after: [], over: [], do: { uses: 'tool:x' } })).toEqual({ concurrency: 10, tolerate: 0 })
    expect(compensateOn(example())).toEqual(['parked'])
    expect(compensateOn({ ...example(), compensate_on: [] })).toEqual([])
  })

  it('tell kinds and tools apart', () => {
    expect(example().steps.map(kindOf)).toEqual(['choice', 'approve', 'tool'])
    expect(toolOf({ uses: 'tool:ledger.post' })).toBe('ledger.post')
  })

  it('know which runs can never move again', () => {
    expect(RUN_STATUSES.filter(isFinal)).toEqual(['succeeded', 'rejected', 'cancelled'])
  })
})

describe('workflowJsonSchema', () => {
  it('accepts every valid document and refuses unknown fields', { timeout: 60_000 }, () => {
    const schema = z.fromJSONSchema(workflowJsonSchema())
    const accepts = (document: unknown) => schema.safeParse(document).success
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        expect(accepts(spec)).toBe(true)
      }),
      { numRuns: 40 },
    )
    expect(accepts({ ...example(), $schema: '/schemas/workflow-1.json' })).toBe(true)
    expect(accepts({ ...example(), tilte: 'x' })).toBe(false)
    expect(accepts({ ...example(), spec: 2 })).toBe(false)
  })
})
