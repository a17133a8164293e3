import { beforeEach, describe, expect, test } from 'vitest'
import { createTestEngine, testTool, type TestEngine } from './testing'
import type { WorkflowSpec } from '@/spec'
import type { Json } from '@/spec'

/** The example of spec-v1.md §6. */
const EXPENSE: WorkflowSpec = {
  spec: 1,
  slug: 'expense-approval',
  title: 'Expense approval',
  input: {
    amount: { type: 'number', title: 'Amount (EUR)', minimum: 0 },
    reason: { type: 'string', title: 'What for', format: 'multiline' },
  },
  run_title: '${input.reason}',
  steps: [
    {
      id: 'route',
      uses: 'choice',
      after: [],
      branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: 500 } }, { name: 'small' }],
    },
    {
      id: 'sign_off',
      uses: 'approve',
      after: ['route.large'],
      role: 'manager',
      channels: ['web', 'email'],
      show: { amount: '${input.amount}', reason: '${input.reason}' },
    },
    {
      id: 'pay',
      uses: 'tool:ledger.post',
      after: ['route.small', 'sign_off'],
      join: 'any',
      with: { amount: '${input.amount}', memo: '${input.reason}' },
      compensate: { uses: 'tool:ledger.reverse', with: { entry: '${steps.pay.output.entry_id}' } },
    },
  ],
  output: { entry: '${steps.pay.output.entry_id}' },
}

describe('the expense approval', () => {
  let posted: Json[]
  let t: TestEngine
  beforeEach(() => {
    posted = []
    const post = testTool('ledger.post', (input, { idempotencyKey }) => {
      posted.push({ input, idempotencyKey })
      return { entry_id: `e${posted.length}` }
    })
    t = createTestEngine({ tools: [post], workflows: [EXPENSE] })
  })
  async function started(amount: number): Promise<string> {
    const runId = await t.start('expense-approval', { amount, reason: 'A chair' })
    await t.settle()
    return runId
  }

  test('900 waits for a manager, who sees exactly what the document shows; approved, it is posted once', async () => {
    const runId = await started(900)
    expect(t.run(runId)).toMatchObject({ status: 'awaiting_approval', title: 'A chair' })
    expect(t.run(runId).gates).toMatchObject([
      { status: 'open', role: 'manager', show: { amount: 900, reason: 'A chair' }, channels: ['web', 'email'] },
    ])
    expect(posted).toEqual([])
    expect(await t.resolveGate(runId, { decision: 'approve', comment: 'Fine.' })).toEqual({ ok: true, runId, settled: 'approved' })
    expect(t.run(runId)).toMatchObject({ status: 'succeeded', output: { entry: 'e1' } })
    expect(posted).toEqual([{ input: { amount: 900, memo: 'A chair' }, idempotencyKey: `${runId}:pay` }])
    expect(t.run(runId).steps.get('sign_off')?.output).toMatchObject({
      decision: 'approved',
      decided_by: 'approver',
      channel: 'web',
      comment: 'Fine.',
    })
  })

  test('rejected, the run ends as rejected and nothing is posted', async () => {
    const runId = await started(900)
    await t.resolveGate(runId, { decision: 'reject', comment: 'No.' })
    expect(t.run(runId)).toMatchObject({ status: 'rejected', output: null, error: { code: 'approval_rejected', stepId: 'sign_off' } })
    expect(posted).toEqual([])
  })

  test('undecided for three days, the run ends as rejected and nothing is posted', async () => {
    const runId = await started(900)
    await t.advanceTime(259_200_000 - 1)
    expect(t.run(runId).status).toBe('awaiting_approval')
    await t.advanceTime(1)
    expect(t.run(runId)).toMatchObject({ status: 'rejected', error: { code: 'approval_expired' } })
    expect(t.run(runId).steps.get('sign_off')?.output).toMatchObject({ decision: 'expired', decided_by: null })
    expect(posted).toEqual([])
  })

  test('100 asks nobody', async () => {
    const runId = await started(100)
    expect(t.run(runId)).toMatchObject({ status: 'succeeded', output: { entry: 'e1' }, gates: [] })
    expect(t.run(runId).steps.get('sign_off')?.status).toBe('skipped')
    expect(posted).toHaveLength(1)
  })
})
