import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effort } from '@/db/testing/effort'
import { readExact } from './exact'
import type { Json } from './json'
import { MAX_DEPTH, readValue } from './text'

/** What the close reading gives of a text with which nothing is wrong. */
function readClosely(text: string): { value: Json } | undefined {
  let problems = 0
  const read = readValue(text, () => problems++)
  return problems > 0 || read === null ? undefined : { value: read.value }
}

test.each([
  ['a key that stands there twice', '{"a":1,"a":1}'],
  ['a key that stands there twice, with what makes up for its length', '{"a":1, "a":1}'],
  ['a number that is changed', '[9007199254740993]'],
  ['a number that is written otherwise', '[1.0, 1e2, -0]'],
  ['half of a surrogate pair, as it is', '["\uD800"]'],
  ['half of a surrogate pair, escaped', String.raw`["\ud800"]`],
  ['U+0000, escaped', String.raw`["\u0000"]`],
  ['an escape that need not be', String.raw`["\/"]`],
  ['a comment', '[1] // a'],
  ['a trailing comma', '[1,]'],
  ['a byte-order mark', '\uFEFF[1]'],
  ['white space that is none in JSON', '[1,\u00A02]'],
  ['a second value', '[1] [1]'],
  ['nothing', ''],
  ['too deep a nesting', `${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)}`],
  ['a nesting that no stack holds', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
])('%s is left to the close reading', (_name, text) => {
  expect(readExact(text)).toBeUndefined()
})

test.each([
  ['as it is written, with any white space', '\t{\r\n "a" : [ 1 , -2.5 , "b c" , null ] }\n'],
  ['white space, brackets and quotes in a text', String.raw`["a \" [ { \\", " "]`],
  ['names that mean something to JavaScript', '{"__proto__":{"x":1},"constructor":2,"toJSON":3}'],
  ['nested as deep as may be', `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`],
])('%s is read at once', (_name, text) => {
  expect(readExact(text)).toEqual(readClosely(text))
  expect(JSON.stringify(readExact(text)?.value)).toBe(JSON.stringify(readClosely(text)?.value))
})

test('whatever is read at once is what the close reading gives, and nothing is wrong with it', { timeout: effort(30_000) }, () => {
  const pieces = ['"', '\\', ' ', '\n', ',', ':', '{', '}', '[', ']', '0', '-', '1e3', '.5', '"a"', '"a":', 'null', '\\u0041', '/**/', 'é']
  const change = fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.constantFrom('', ...pieces) })
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, 4), fc.array(change, { maxLength: 2 }), (value, space, changes) => {
      const text = changes.reduce(
        (old, { at, cut, put }) => {
          const place = at % (old.length + 1)
          return old.slice(0, place) + put + old.slice(place + cut)
        },
        JSON.stringify(value, null, space),
      )
      const read = readExact(text)
      if (read === undefined) return
      const closely = readClosely(text)
      expect(closely).toBeDefined()
      expect(JSON.stringify(read.value)).toBe(JSON.stringify(closely?.value))
    }),
    { numRuns: effort(3_000) },
  )
})
