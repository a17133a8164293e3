import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { Tool } from './ports'
import { createTestEngine, testTool } from './testing'

const flow: WorkflowSpec = {
  spec: 1,
  slug: 'flow',
  title: 'Flow',
  steps: [
    { id: 'a', uses: 'tool:a', after: [] },
    { id: 'm', uses: 'map', after: [], over: [1, 2], do: { uses: 'tool:a' } },
    { id: 'b', uses: 'tool:b', after: ['a', 'm'], with: { a: '${steps.a.output}', m: '${steps.m.output.results}' } },
  ],
  output: { a: '${steps.a.output}' },
}

/** A run whose tool `a` returns this, and what the step after it was given. */
async function returning(output: unknown) {
  const calls: string[] = []
  const given: Json[] = []
  const a: Tool = {
    ...testTool('a', () => null),
    run: async ({ idempotencyKey }) => {
      calls.push(idempotencyKey)
      return { output: output as Json }
    },
  }
  const t = createTestEngine({ tools: [a, testTool('b', (input) => void given.push(input))], workflows: [flow] })
  const id = await t.start('flow')
  await t.settle()
  return { run: t.run(id), step: t.run(id).steps.get('a'), calls, given }
}

const MIB = 'x'.repeat(1024 * 1024 - 2)

test.each<[string, Json]>([
  ['null', null],
  ['false', false],
  ['0', 0],
  ['an empty text', ''],
  ['an empty array', []],
  ['an array', [1, [null], { a: false }]],
  ['a text', 'text'],
  ['U+0000', { '\u0000': '\u0000' }],
  ['the reference of another step', '${steps.b.output}'],
  ['the largest there may be', MIB],
])('%s is an output like any other', async (_, output) => {
  const { run, step, given } = await returning(output)
  expect(run).toMatchObject({ status: 'succeeded', output: { a: output } })
  expect(step).toMatchObject({ status: 'succeeded', output, flag: null })
  expect(given).toEqual([{ a: output, m: [output, output] }])
})

const circle: { self?: unknown } = {}
circle.self = circle

test.each<[string, unknown, string]>([
  ['one byte too many', `${MIB}x`, 'output_truncated'],
  ['NaN', Number.NaN, 'output_invalid'],
  ['a bigint', 1n, 'output_invalid'],
  ['a function', () => 1, 'output_invalid'],
  ['a date', new Date(0), 'output_invalid'],
  ['a circle', circle, 'output_invalid'],
])('%s: the step succeeded, its output is null and flagged, and the effect is not repeated', async (_, output, flag) => {
  const { run, step, calls, given } = await returning(output)
  expect(run).toMatchObject({ status: 'succeeded', output: { a: null } })
  expect(step).toMatchObject({ status: 'succeeded', output: null, flag })
  expect(calls).toHaveLength(3)
  expect(given).toEqual([{ a: null, m: [null, null] }])
})
