import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { defineTool, isTool, type Tool } from './define-tool'
import { readResult, withCompensation, withHint } from './result'

const good = {
  name: 'ledger.post',
  title: 'Post',
  description: 'Posts.',
  effect: 'write',
  input: z.object({ amount: z.number() }),
  output: z.object({ id: z.string() }),
  run: () => ({ id: 'x' }),
} satisfies Tool

test('a defined tool is told from anything that merely looks like one', () => {
  expect(isTool(defineTool(good))).toBe(true)
  expect(isTool(good)).toBe(false)
  expect(isTool(null)).toBe(false)
})

test('a name of 128 characters is the longest', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.`
  expect(() => defineTool({ ...good, name: `${longest.slice(0, 126)}.c` })).not.toThrow()
  expect(() => defineTool({ ...good, name: `${longest.slice(0, 126)}.cc` })).toThrow(/128/)
})

test.each(['Ledger.post', 'ledger.', '.post', 'ledger..post', 'ledger-post', '1ledger', 'a@2', ''])('the name %j is refused', (name) => {
  expect(() => defineTool({ ...good, name })).toThrow(/name/)
})

test.each([
  ['title', ' '],
  ['description', ''],
  ['title', 'Pay\0'],
  ['description', 'Pays\0'],
  ['effect', 'maybe'],
  ['input', z.string()],
  ['output', {}],
  ['run', 'now'],
  ['colour', 'red'],
])('a wrong %s is refused, and named with the tool', (field, value) => {
  const make = () => defineTool({ ...good, [field]: value } as typeof good)
  expect(make).toThrow(/'ledger.post'/)
  expect(make).toThrow(new RegExp(field))
})

test('members that the input does not declare are refused, unless it is loose', () => {
  expect(defineTool(good).input.safeParse({ amount: 1, amuont: 2 }).success).toBe(false)
  const loose = defineTool({ ...good, input: z.looseObject({ amount: z.number() }) })
  expect(loose.input.safeParse({ amount: 1, amuont: 2 }).success).toBe(true)
})

test('run is typed by the schemas', () => {
  defineTool({
    ...good,
    run(ctx, input) {
      expectTypeOf(input).toEqualTypeOf<{ amount: number }>()
      expectTypeOf(ctx.principal.teamId).toBeString()
      return { id: ctx.runId }
    },
  })
})

test('a result may carry a hint and a compensation, in either order', () => {
  const compensation = { uses: 'tool:ledger.reverse', with: { entry: 'x' } } as const
  const both = { output: { id: 'x' }, hint: 'look', compensation }
  expect(readResult(withHint(withCompensation({ id: 'x' }, compensation), 'look'))).toEqual(both)
  expect(readResult(withCompensation(withHint({ id: 'x' }, 'look'), compensation))).toEqual(both)
})

test('an output that looks like a result is an output', () => {
  const output = { output: 1, hint: 'mine' }
  expect(readResult<unknown>(output)).toEqual({ output })
})
