'use client'

import type { FieldProps } from '@rjsf/utils'

/**
 * Holds a number as the text that was written; `toInput` reads it. The library's own field turns half of a number into a number
 * while it is being typed, by the separators of the browser's language.
 */
export function NumberField(props: FieldProps) {
  const { StringField } = props.registry.fields
  const { formData, schema } = props
  const shown: unknown = typeof formData === 'number' && schema.enum === undefined ? String(formData) : formData
  return StringField === undefined ? null : <StringField {...props} formData={shown} />
}
