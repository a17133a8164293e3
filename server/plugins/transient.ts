/** Classes of SQLSTATE (PostgreSQL, appendix A) after which a new attempt may succeed: connection, rollback, resources, operator, locks. */
const STATES = /^(08|40|53|57P|55P03)/
const ERRNO = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])
/** The driver's own words for a connection that was lost or not had; they carry no code. */
const WORDS = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Whether a database error says nothing about the statement, so that the same may succeed later. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return STATES.test(code) || ERRNO.has(code)
  return typeof message === 'string' && WORDS.test(message)
}
