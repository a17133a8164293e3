import { expect, test } from 'vitest'
import { defineTool, z } from '@/sdk'
import { parseWorkflow } from '@/spec'
import { workflowWarnings } from './warnings'

const tool = defineTool({
  name: 'a.one',
  title: 'One',
  description: 'One',
  effect: 'write',
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
})
const parsed = parseWorkflow(
  JSON.stringify({
    spec: 1,
    slug: 'two-steps',
    title: 'Two steps',
    steps: [
      { id: 'one', uses: 'tool:a.one', after: [] },
      { id: 'ask', uses: 'approve', after: ['one'], role: 'nobody' },
      { id: 'two', uses: 'tool:b.two', after: ['ask'] },
    ],
  }),
)

test('the workflows of a plugin are looked at with the tools of all plugins, and without what only a team knows', () => {
  if (!parsed.ok) throw new Error('the workflow is refused')
  const plugin = { title: '', version: '', description: '', jobs: [], tables: null }
  const tools = [{ tool, inputSchema: { type: 'object' }, outputSchema: true }]
  const workflows = [{ slug: 'two-steps', spec: parsed.canonical, hash: parsed.hash }]
  const warnings = workflowWarnings({
    loaded: [
      { ...plugin, id: 'a', tools, workflows: [] },
      { ...plugin, id: 'b', tools: [], workflows },
    ],
    failed: [],
  })
  expect(warnings.map(({ plugin, workflow, warning }) => [plugin, workflow, warning.code, warning.path])).toEqual([
    ['b', 'two-steps', 'unknown_tool', '/steps/2/uses'],
  ])
})
