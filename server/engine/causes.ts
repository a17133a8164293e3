import { NOTHING_TO_SCRUB, type Scrub } from './scrub'

/** One error of a chain: its class and its code. `message` may hold people's data: who shows it must have been asked to. */
export type Cause = { name: string; code: string | null; message: string | null }

const DEPTH = 10
/** What can only be a class, or a code such as ECONNREFUSED, 23505, rate_limited: never a sentence and never a value. */
const CLASS = /^[A-Za-z_$][\w$]{0,59}$/
const CODE = /^[A-Za-z][A-Za-z_]{0,39}$|^[0-9A-Z]{5}$/

/**
 * The chain of causes of anything thrown, outermost first. The class is that of the code that made the error, never the `name` that somebody
 * may have written into it. Survives strings, cycles and throwing getters.
 */
export function causesOf(thrown: unknown, scrub: Scrub = NOTHING_TO_SCRUB): Cause[] {
  const causes: Cause[] = []
  const seen = new Set<unknown>()
  for (let at = thrown; at !== undefined && at !== null && causes.length < DEPTH && !seen.has(at); at = read(at, 'cause')) {
    seen.add(at)
    const name = read(read(at, 'constructor'), 'name')
    const code = read(at, 'code')
    const message = read(at, 'message')
    causes.push({
      name: typeof at === 'object' && typeof name === 'string' && CLASS.test(name) ? name : typeof at,
      code: typeof code === 'string' && CODE.test(code) ? scrub.text(code) : null,
      message: typeof message === 'string' ? scrub.text(message) : null,
    })
  }
  return causes
}

function read(from: unknown, key: string): unknown {
  if ((typeof from !== 'object' && typeof from !== 'function') || from === null) return undefined
  try {
    return Reflect.get(from, key)
  } catch {
    return undefined
  }
}
