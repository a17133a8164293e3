import type { Step, WorkflowSpec } from '@/spec'

const input = { file: { type: 'string' as const } }
const retry = { max_attempts: 30, base_seconds: 0.05 }
const call = (ms: number, more: object = {}) => ({ file: '${input.file}', ms, ...more })
const tool = (id: string, after: string[], ms: number, more: object = {}): Step => ({
  id,
  uses: 'tool:chaos.write',
  after,
  with: call(ms, more),
  retry,
})
const workflow = (slug: string, steps: Step[]): WorkflowSpec => ({ spec: 1, slug, title: slug, input, steps })

/** What is run while workers die. Each slug says which part of the engine it is about. */
export const WORKFLOWS: WorkflowSpec[] = [
  workflow('chain', [tool('a', [], 300), tool('b', ['a'], 300), tool('c', ['b'], 300), tool('d', ['c'], 300)]),
  workflow('diamond', [tool('a', [], 200), tool('b', ['a'], 600), tool('c', ['a'], 300), tool('d', ['b', 'c'], 200)]),
  workflow('map', [
    {
      id: 'each',
      uses: 'map',
      after: [],
      over: Array.from({ length: 50 }, (_, i) => i),
      do: { uses: 'tool:chaos.write', with: call(100), retry },
    },
    tool('z', ['each'], 100),
  ]),
  workflow('retry', [tool('a', [], 100, { failures: 2 }), tool('b', ['a'], 200)]),
  workflow('gate', [tool('a', [], 200), { id: 'ask', uses: 'approve', after: ['a'], role: 'manager' }, tool('b', ['ask.approved'], 200)]),
  workflow('wait', [tool('a', [], 200), { id: 'pause', uses: 'wait', after: ['a'], seconds: 3 }, tool('b', ['pause'], 200)]),
  workflow('once', [
    { id: 'a', uses: 'tool:chaos.once', after: [], with: call(400) },
    { id: 'b', uses: 'tool:chaos.once', after: ['a'], with: call(400) },
  ]),
  workflow('parent', [
    tool('a', [], 200),
    { id: 'sub', uses: 'workflow:chain', after: ['a'], with: { file: '${input.file}' } },
    tool('b', ['sub'], 200),
  ]),
]
