import type { UiSchema } from '@rjsf/utils'
import type { Field, Fields } from '@/spec'
import type { FormData } from './form-data'

/** How each field is drawn. The JSON Schema says what is allowed; the field itself says more about how people fill it in. */
export function uiSchemaOf(fields: Fields): UiSchema<FormData> {
  return Object.fromEntries([
    ...Object.entries(fields).map(([name, field]) => [name, fieldUi(field)]),
    ['ui:submitButtonOptions', { norender: true }],
  ])
}

function fieldUi(field: Field): UiSchema {
  const ui: UiSchema = {}
  if (field.enum) ui['ui:widget'] = 'select'
  else if (field.secret) ui['ui:widget'] = 'password'
  else if (field.format === 'multiline') ui['ui:widget'] = 'textarea'
  // A box that was never ticked would say nothing, not "no": where there is no default the person answers.
  else if (field.type === 'boolean') ui['ui:widget'] = field.default === undefined ? 'select' : 'checkbox'
  if (field.default !== undefined && field.type !== 'boolean') ui['ui:placeholder'] = `${plain(field.default)} if left empty`
  if (field.type === 'array') {
    if (field.items) ui['items'] = fieldUi(field.items)
    else ui['ui:field'] = 'JsonField'
  }
  if (field.type === 'object') {
    if (Object.keys(field.properties ?? {}).length === 0) ui['ui:field'] = 'JsonField'
    for (const [name, inner] of Object.entries(field.properties ?? {})) ui[name] = fieldUi(inner)
    // Undeclared members are accepted by the format, but a form that invites them only confuses.
    ui['ui:options'] = { expandable: false }
  }
  return ui
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
