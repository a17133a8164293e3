import { ClewError } from '@/server/errors'

/** `at` is the server's own text of an instant: a Date would round its microseconds and lose or repeat a row. */
type Position = { at: string; id: string }

const AT = /^\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d){0,2}$/
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const encodeCursor = ({ at, id }: Position): string => Buffer.from(`${at}|${id}`).toString('base64url')

/** @throws {ClewError} `invalid` */
export function decodeCursor(cursor: string): Position {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('|')
  if (!AT.test(at) || !ID.test(id)) throw new ClewError('invalid', 'This is not the cursor of a page.')
  return { at, id }
}
