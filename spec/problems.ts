/**
 * Every code a problem can carry. The list is closed and documented: people and programs match on it,
 * so a code is never renamed, and a new rule gets a new code.
 */
export const PROBLEM_CODES = [
  // The text
  'syntax_error',
  'byte_order_mark',
  'comment',
  'trailing_comma',
  'duplicate_key',
  'lone_surrogate',
  'null_character',
  'number_not_exact',
  'not_json',
  // Limits
  'document_too_large',
  'too_deep',
  'too_many',
  // Structure
  'unsupported_spec',
  'unknown_kind',
  'unknown_field',
  'missing_field',
  'wrong_type',
  'invalid_value',
  'invalid_name',
  'field_not_allowed',
  'duplicate_id',
  'duplicate_entry',
  'range_empty',
  'default_invalid',
  'enum_invalid',
  // Graph
  'unknown_step',
  'unknown_port',
  'port_required',
  'cycle',
  'never_starts',
  // References
  'invalid_reference',
  'reference_required',
  'reference_not_allowed',
  'reference_in_key',
  'unknown_input',
  'not_an_ancestor',
  'secret_not_allowed',
  // Inputs given at the start, or a form's values
  'input_missing',
  'input_unknown',
  'input_invalid',
  // The list itself was cut
  'more_problems',
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** One thing wrong with a document. `path` is a JSON Pointer (RFC 6901) to it; `''` is the document. */
export interface Problem {
  code: ProblemCode
  path: string
  message: string
  hint?: string
}

export type Path = readonly (string | number)[]

/** What a check is given to say what is wrong. */
export type Report = (code: ProblemCode, path: Path, message: string, hint?: string) => void

/** RFC 6901. */
export function pointer(path: Path): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The segments of a JSON Pointer. */
export function segments(jsonPointer: string): string[] {
  return jsonPointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
