import { expect, expectTypeOf, test } from 'vitest'
import { defineJob, isJob } from './define-job'
import { isTool } from './define-tool'
import { z } from './index'

const definition = {
  kind: 'report.monthly',
  title: 'Report',
  description: 'Writes the report.',
  input: z.object({ month: z.string() }),
  output: z.object({ pages: z.number() }),
  run: () => ({ pages: 1 }),
}

test('a defined job is told from a tool, and from anything that merely looks like one', () => {
  expect(isJob(defineJob(definition))).toBe(true)
  expect(isTool(defineJob(definition))).toBe(false)
  expect(isJob({ ...definition, effect: 'read' })).toBe(false)
})

test('a job that does not say otherwise may not be repeated', () => {
  expect(defineJob(definition).effect).toBe('once')
  expect(defineJob({ ...definition, effect: 'write' }).effect).toBe('write')
})

test.each([
  ['kind', 'Report'],
  ['kind', 'a@2'],
  ['title', ' '],
  ['effect', 'maybe'],
  ['input', z.string()],
  ['output', {}],
  ['run', 'now'],
  ['name', 'report'],
])('a wrong %s is refused, and named with the job', (member, value) => {
  const make = () => defineJob({ ...definition, [member]: value } as typeof definition)
  expect(make).toThrow(/^The job '/)
  expect(make).toThrow(new RegExp(member))
})

test('members that the input does not declare are refused', () => {
  expect(defineJob(definition).input.safeParse({ month: 'may', moth: 'june' }).success).toBe(false)
})

test('run is typed by the schemas', () => {
  defineJob({
    ...definition,
    run(ctx, input) {
      expectTypeOf(input).toEqualTypeOf<{ month: string }>()
      expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
      return { pages: 2 }
    },
  })
})
