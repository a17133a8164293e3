import { descriptionId, errorId } from '@rjsf/utils'

type Control = { id: string; rawErrors?: string[] | undefined; schema: { description?: string | undefined } }

/** Which elements say more about a control, and whether it is wrong: for screen readers. */
export function wiring({ id, rawErrors, schema }: Control): { 'aria-invalid': true | undefined; 'aria-describedby': string | undefined } {
  const wrong = (rawErrors?.length ?? 0) > 0
  const described = [wrong && errorId(id), schema.description && descriptionId(id)].filter(Boolean).join(' ')
  return { 'aria-invalid': wrong || undefined, 'aria-describedby': described || undefined }
}
