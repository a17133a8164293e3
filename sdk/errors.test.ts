import { expect, test } from 'vitest'
import { FatalError, RateLimitError, TransientError } from './errors'

test.each([
  ['TransientError', new TransientError('busy', { cause: 'x' })],
  ['RateLimitError', new RateLimitError(30, 'busy', { cause: 'x' })],
  ['FatalError', new FatalError('busy', { cause: 'x' })],
])('%s is recognised by its name and code, and keeps its cause', (name, error) => {
  expect(error).toMatchObject({ name, code: name, message: 'busy', cause: 'x' })
  expect(error).toBeInstanceOf(Error)
})

test('a subclass counts as what it extends', () => {
  class Outage extends TransientError {}
  expect(new Outage('down')).toMatchObject({ name: 'TransientError', code: 'TransientError' })
})

test('a rate limit says when to come back', () => {
  expect(new RateLimitError('Sun, 01 Mar 2026 12:02:00 GMT').retryAfter).toBe('Sun, 01 Mar 2026 12:02:00 GMT')
  expect(new RateLimitError(30).message).not.toBe('')
})
