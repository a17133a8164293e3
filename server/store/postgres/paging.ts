import { ClewError } from '@/server/errors'

/** `at` is the server's own text of an instant: a Date would round its microseconds and lose or repeat a row. */
type Position = { at: string; id: string }

const AT = /^((?!0000)\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?[+-](0\d|1[0-5])(:[0-5]\d){0,2}$/
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export const encodeCursor = ({ at, id }: Position): string => Buffer.from(`${at}|${id}`).toString('base64url')

/** Whether PostgreSQL would take it: what only looks like an instant, such as a 30th of February, would fail the query. */
function isInstant(at: string): boolean {
  const [, date, time] = AT.exec(at) ?? []
  const parsed = new Date(`${date}T${time}Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(`${date}T${time}`)
}

/** @throws {ClewError} `invalid` */
export function decodeCursor(cursor: string): Position {
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('|')
  if (!isInstant(at) || !ID.test(id)) throw new ClewError('invalid', 'This is not the cursor of a page.')
  return { at, id }
}
