import { expect, test } from 'vitest'
import { storable } from './result'

const circle: { self?: unknown } = {}
circle.self = circle
function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}
const throwing = () => {
  throw new Error('no')
}
const hostile = new Proxy(
  {},
  { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing, getOwnPropertyDescriptor: throwing },
)
const unreadable = (name: string) => Object.defineProperty({ output: 1 }, name, { get: throwing, enumerable: true })

test.each([
  ['a function', { f: () => 1 }],
  ['a date', { at: new Date(0) }],
  ['a map', new Map([['a', 1]])],
  ['not a number', [Number.NaN]],
  ['a big integer', 1n],
  ['a circle', circle],
  ['what nests without end', nested(100_000)],
  ['what nests deeper than 1,000 levels', nested(1001)],
  ['a member that throws when it is read', unreadable('at')],
  ['an object that throws whatever one asks', hostile],
])('%s is no JSON: the output is null and flagged, and nothing fails', (_, output) => {
  expect(storable({ output })).toEqual({ output: null, flag: 'output_invalid' })
})

test('an output above 1 MiB of UTF-8 is null and flagged; one of exactly 1 MiB is kept', () => {
  expect(storable({ output: 'x'.repeat(1024 * 1024 - 1) })).toEqual({ output: null, flag: 'output_truncated' })
  expect(storable({ output: 'x'.repeat(1024 * 1024 - 2) }).flag).toBeUndefined()
  expect(storable({ output: 'é'.repeat(600_000) }).flag).toBe('output_truncated')
})

test('members that are undefined are absent, and no output is null', () => {
  expect(storable({ output: { a: undefined, b: 1 } })).toEqual({ output: { b: 1 } })
  expect(storable({ output: undefined })).toEqual({ output: null })
})

test('the output is a copy', () => {
  const output = { n: 1 }
  const stored = storable({ output })
  output.n = 2
  expect(stored.output).toEqual({ n: 1 })
})

test('a flag, a hint and a compensation are kept; a malformed compensation is not', () => {
  const compensation = { uses: 'tool:undo', with: { id: 1 } }
  const kept = { output: 1, flag: 'output_invalid', hint: 'look', compensation }
  expect(storable(kept)).toEqual(kept)
  expect(storable({ output: 1, compensation: { uses: 7 } })).toEqual({ output: 1 })
})

test('an output of 1,000 levels is kept', () => {
  expect(storable({ output: nested(1000) }).flag).toBeUndefined()
})

test.each([
  ['output', { output: null, flag: 'output_invalid' }],
  ['flag', { output: 1 }],
  ['hint', { output: 1 }],
  ['compensation', { output: 1 }],
])('where reading the %s throws, the rest is kept', (name, kept) => {
  expect(storable(unreadable(name))).toEqual(kept)
})

test('a compensation that cannot be read is none', () => {
  for (const compensation of [hostile, { uses: 'tool:undo', with: hostile }])
    expect(storable({ output: 1, compensation })).toEqual({ output: 1 })
  expect(storable(hostile)).toEqual({ output: null, flag: 'output_invalid' })
})

test.each([undefined, null, 'text'])('a handler that returned %j instead of a result is flagged', (returned) => {
  expect(storable(returned)).toEqual({ output: null, flag: 'output_invalid' })
})
