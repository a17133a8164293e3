import { type ErrorSchema, ErrorSchemaBuilder, type RJSFSchema, type RJSFValidationError, type ValidatorType } from '@rjsf/utils'
import { checkInput, type Field, type Fields, type Json } from '@/spec'
import { type FormData, isNumeric, toInput } from './form-data'
import { howToWrite } from './number-text'

/** A problem with a value of the form; `path` is a JSON Pointer into what the form gives. */
export type FieldProblem = { code: string; path: string; message: string }

/**
 * Checks a form by the spec's own rules, the ones the server applies, so that both always say the same. A validator that
 * compiles schemas to code would also need `unsafe-eval` in the content security policy.
 */
export function specValidator(fields: Fields): ValidatorType<FormData> {
  return {
    validateFormData: (formData) => {
      const input = toInput(fields, formData)
      const result = checkInput(fields, input)
      if (result.ok) return { errors: [], errorSchema: {} }
      const problems = result.problems.map(({ code, path, message }) => ({
        code,
        path,
        message: numberHelp(fields, input, path) ?? message,
      }))
      return { errors: problems.map(errorOf), errorSchema: errorsByField(problems) }
    },
    // Only asked for the alternatives of oneOf, anyOf and if, which no field of the spec has.
    isValid: () => true,
    rawValidation: (_schema: RJSFSchema, formData) => {
      const result = checkInput(fields, toInput(fields, formData))
      return { errors: result.ok ? [] : (result.problems as never[]) }
    },
  }
}

/** Problems as the form library wants them: a tree of field names with messages at each. */
export function errorsByField(problems: FieldProblem[]): ErrorSchema<FormData> {
  const builder = new ErrorSchemaBuilder<FormData>()
  for (const problem of problems) builder.addErrors(sentence(problem), segmentsOf(problem.path))
  return builder.ErrorSchema
}

/** How to write the number that was asked for, where something else was written; null for every other problem. */
function numberHelp(fields: Fields, input: Record<string, Json>, path: string): string | null {
  let field: Field = { type: 'object', properties: fields }
  let value: Json | undefined = input
  for (const name of segmentsOf(path)) {
    const inner: Field | undefined = Array.isArray(value) ? field.items : field.properties?.[name]
    if (inner === undefined) return null
    field = inner
    value = (value as Record<string, Json> | null)?.[name]
  }
  if (typeof value !== 'string' || !isNumeric(field)) return null
  return howToWrite(value, field.type === 'integer')
}

function errorOf(problem: FieldProblem): RJSFValidationError {
  const message = sentence(problem)
  return {
    name: problem.code,
    message,
    stack: message,
    property: segmentsOf(problem.path)
      .map((name) => `.${name}`)
      .join(''),
  }
}

function sentence({ code, message }: FieldProblem): string {
  if (code === 'input_missing') return 'Please fill this in.'
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The segments of a JSON Pointer (RFC 6901). */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
