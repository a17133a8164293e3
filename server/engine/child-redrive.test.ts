import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

type Steps = WorkflowSpec['steps']
const child: WorkflowSpec = { spec: 1, slug: 'child', title: 'Child', steps: [{ id: 'ask', uses: 'approve', after: [], role: 'manager' }] }
const soon: Steps[number] = { id: 'soon', uses: 'wait', after: [], seconds: 10 }

async function parked(steps: Steps) {
  let broken = true
  const shaky = testTool('shaky', () => {
    if (broken) throw Object.assign(new Error('no'), { name: 'FatalError' })
    return null
  })
  const undo = testTool('undo', () => null)
  const t = createTestEngine({ tools: [shaky, undo], workflows: [{ spec: 1, slug: 'parent', title: 'Parent', steps }, child] })
  const id = await t.start('parent')
  await t.settle()
  await t.advanceTime(10_000)
  expect(t.run(id).status).toBe('parked')
  broken = false
  const redrive = async () => {
    expect(await t.engine.redrive(id, { by: 'approver', answers: {} })).toMatchObject({ ok: true })
    await t.settle()
  }
  return { t, id, redrive, step: (name: string) => t.run(id).steps.get(name) }
}

test('a map whose children lived on under the parked run waits for them still, and starts what is left', async () => {
  const map: Steps[number] = { id: 'm', uses: 'map', after: [], over: [1, 2, 3], concurrency: 2, do: { uses: 'workflow:child' } }
  const { t, id, redrive, step } = await parked([map, soon, { id: 'bad', uses: 'tool:shaky', after: ['soon'] }])
  const before = step('m')?.items.map((item) => item.child)
  await redrive()
  expect(step('m')?.items.map((item) => item.child)).toEqual(before)
  // Whoever went on with the parent may not decide in its children.
  t.store.grantRole('team', 'other', 'manager')
  for (const item of [0, 1, 2]) await t.resolveGate(step('m')?.items[item]?.child ?? '', { decision: 'approve', userId: 'other' })
  expect([t.run(id).status, step('m')?.status]).toEqual(['succeeded', 'succeeded'])
})

test('a child of a step that runs again is cancelled, and another one is started', async () => {
  const first: Steps[number] = { id: 'first', uses: 'tool:undo', after: [], compensate: { uses: 'tool:undo' } }
  const sub: Steps[number] = { id: 'sub', uses: 'workflow:child', after: ['first'] }
  const { t, id, redrive, step } = await parked([first, sub, soon, { id: 'bad', uses: 'tool:shaky', after: ['soon'] }])
  const old = step('sub')?.child ?? ''
  await redrive()
  expect([t.run(old).status, t.run(id).status]).toEqual(['cancelled', 'awaiting_approval'])
  const rows = [...(t.store.read(id)?.rows.values() ?? [])].filter((row) => row.stepId === 'sub').map((row) => [row.epoch, row.status])
  expect(rows).toEqual([
    [1, 'cancelled'],
    [2, 'waiting'],
  ])
})
