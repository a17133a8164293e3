import { expect, it } from 'vitest'
import { isPassing } from './passing'

const pgBossReports = (error: object) => ({ ...error, message: 'queue supervision failed', queue: 'flow.step' })

it.each([
  ['no connection left, as a plain object', pgBossReports({ code: '53300' }), 'away'],
  ['nobody listens, as a plain object', pgBossReports({ code: 'ECONNREFUSED' }), 'away'],
  ['starting up, as a plain object', pgBossReports({ code: '57P03' }), 'away'],
  ['only words, as a plain object', { message: 'Connection terminated unexpectedly' }, 'away'],
  ['behind a plain object', { message: 'x', cause: { message: 'y', cause: { code: '57P01' } } }, 'away'],
  ['a plain object behind an error', new Error('x', { cause: { code: 'ECONNRESET' } }), 'away'],
  ['a deadlock, as a plain object', pgBossReports({ code: '40P01' }), 'conflict'],
  ['an error', Object.assign(new Error('x'), { code: '57014' }), 'away'],
  ['another code', pgBossReports({ code: '23505' }), 'no'],
  ['a code that is none', { code: 53300, message: 'x' }, 'no'],
  ['a word', 'ECONNREFUSED', 'no'],
  ['nothing', null, 'no'],
] as const)('sees whether the same will succeed later: %s', (_, error, passing) => {
  expect(isPassing(error)).toBe(passing)
})

it('ends with an error that is its own cause', () => {
  const error = new Error('x')
  error.cause = error
  expect(isPassing(error)).toBe('no')
})
