import type { Json } from '@/spec'
import type { Call } from './call'
import { classify, fatal, type Failure } from './failure'
import type { Tool } from './ports'
import { scrubOf } from './scrub'

/** The schema of what is called. It is the plugin's code, so it may throw, and what it says may hold what it was given. */
export function check(kind: Call['kind'], tool: Tool, resolved: Json): { input: Json } | { failure: Failure } {
  const scrub = scrubOf(tool.secrets, resolved)
  try {
    const input = tool.dropNulls(resolved)
    const problems = tool.check(input)
    if (problems.length === 0) return { input }
    const listed = problems.slice(0, 5).map(({ path, message }) => {
      const wrong = message.replace(/^Invalid input: /, '')
      return path === '' ? wrong : `${path}: ${wrong}`
    })
    return { failure: fatal('invalid_input', scrub.text(`The ${kind} cannot take this input. ${listed.join('; ')}`)) }
  } catch (error) {
    return { failure: fatal('invalid_input', classify(error, scrub).error.message) }
  }
}
