import { z } from 'zod'
import { problemPosition, type Problem } from '@/spec'
import type { ProblemDetail } from '../../errors'

export const problemDetail = z.object({
  code: z.string(),
  path: z.string().describe('JSON Pointer (RFC 6901) into the document'),
  message: z.string(),
  hint: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
})

/** A document's problems with the places in its text where they begin. */
export const withPositions = (source: string, problems: readonly Problem[]): ProblemDetail[] =>
  problems.map((problem) => ({ ...problem, ...problemPosition(source, problem.path) }))
