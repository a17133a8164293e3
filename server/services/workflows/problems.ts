import { z } from 'zod'
import { problemPositions } from '@/spec'
import type { ProblemDetail } from '../../errors'

export const problemDetail = z.object({
  code: z.string(),
  path: z.string().describe('JSON Pointer (RFC 6901) into the document'),
  message: z.string(),
  hint: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
})

/** A document's problems or warnings with the places in its text where they begin. */
export function withPositions(source: string, problems: readonly ProblemDetail[]): ProblemDetail[] {
  const places = problemPositions(source, problems)
  return problems.map((problem, i) => ({ ...problem, ...places[i] }))
}
