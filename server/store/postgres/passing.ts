const CONFLICTS = new Set(['40001', '40P01'])
const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03', '53300'])
const AWAY_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable/

/** Will the same statement succeed later: after a deadlock (`conflict`), when the database is back (`away`)? */
export function isPassing(error: unknown): 'conflict' | 'away' | 'no' {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
    if (CONFLICTS.has(code)) return 'conflict'
    if (AWAY.has(code) || code.startsWith('08') || AWAY_MESSAGES.test(cause.message)) return 'away'
  }
  return 'no'
}
