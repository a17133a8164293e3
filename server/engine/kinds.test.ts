import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

const KINDS: [string, WorkflowSpec['steps'][number]][] = [
  ['an agent', { id: 'x', uses: 'agent', after: [], goal: 'Sort' }],
  ['a map of agents', { id: 'x', uses: 'map', after: [], over: [1], do: { uses: 'agent', goal: 'Sort' } }],
]

test.each(KINDS)('%s parks its run until the engine can run it', async (_name, step) => {
  const workflow: WorkflowSpec = { spec: 1, slug: 'flow', title: 'Flow', steps: [step, { id: 'y', uses: 'tool:a', after: ['x'] }] }
  const t = createTestEngine({ tools: [testTool('a', () => null)], workflows: [workflow] })
  const id = await t.start('flow', {})
  await t.settle()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'kind_not_supported', stepId: 'x' } })
  expect(t.run(id).steps.get('x')?.status).toBe('failed')
  expect(t.run(id).steps.get('y')?.status ?? 'pending').toBe('pending')
})
