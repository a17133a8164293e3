import { expect, test } from 'vitest'
import { classify } from './failure'

const named = (fields: Record<string, unknown>) => Object.assign(new Error('why'), fields)

test.each([
  ['the name', { name: 'TransientError' }],
  ['the code', { code: 'TransientError' }],
  ['a network code', { code: 'ECONNRESET' }],
  ['the name of an aborted fetch', { name: 'TimeoutError' }],
])('a transient error is known by %s, whatever class it is of', (_, fields) => {
  expect(classify(named(fields)).kind).toBe('ambiguous')
})

test('a failed fetch is known by its cause', () => {
  expect(classify(new TypeError('fetch failed', { cause: named({ code: 'ECONNREFUSED' }) })).kind).toBe('ambiguous')
})

test('a fatal error is fatal, whatever caused it', () => {
  expect(classify(Object.assign(named({ name: 'FatalError' }), { cause: named({ code: 'ECONNRESET' }) })).kind).toBe('fatal')
})

test('a rate limit says that nothing was performed, and when to come back', () => {
  expect(classify(named({ code: 'RateLimitError', retryAfter: 7 }))).toMatchObject({ kind: 'not_performed', retryAfter: 7 })
})

test.each([
  ['a plain error', new Error('x')],
  ['a string', 'x'],
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
])('%s is fatal', (_, thrown) => {
  expect(classify(thrown).kind).toBe('fatal')
})

test('a thrown string is the message, and one that says nothing gets a message', () => {
  expect(classify('out of paper').error.message).toBe('out of paper')
  expect(classify(undefined).error.message).not.toBe('')
  expect(classify(new Error('')).error.message).not.toBe('')
})

test('a huge message is cut at 2,000 characters without halving one', () => {
  const { message } = classify(new Error('🦊'.repeat(5_000_000))).error
  expect(message.length).toBeLessThanOrEqual(2000)
  expect(message.isWellFormed()).toBe(true)
})

test('a message keeps no U+0000, which a database could not look past', () => {
  expect(classify('a\u0000b').error.message).toBe('a\uFFFDb')
})

test('causes that form a circle end', () => {
  const error = new Error('round')
  error.cause = error
  expect(classify(error)).toMatchObject({ kind: 'fatal', error: { message: 'round' } })
})

test('an error whose members throw is survived', () => {
  const hostile = new Proxy({}, { get: () => expect.fail('read'), has: () => true })
  expect(classify(hostile).kind).toBe('fatal')
})
