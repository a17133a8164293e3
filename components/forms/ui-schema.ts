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
  // A key of several lines would lose them in a password's single one.
  else if (field.format === 'multiline') ui['ui:widget'] = 'textarea'
  // By its whole name: the short one is known for texts only, and a PIN is a number.
  else if (field.secret && PLAIN.has(field.type)) ui['ui:widget'] = 'PasswordWidget'
  // A box that was never ticked would say nothing, not "no": where there is no default the person answers.
  else if (field.type === 'boolean') ui['ui:widget'] = field.default === undefined ? 'select' : 'checkbox'
  if (field.default !== undefined && field.type !== 'boolean') ui['ui:placeholder'] = `${plain(field.default)} if left empty`
  if (field.type === 'array') {
    if (field.items) ui['items'] = fieldUi(inside(field, field.items))
    else ui['ui:field'] = 'JsonField'
  }
  if (field.type === 'object') {
    if (Object.keys(field.properties ?? {}).length === 0) ui['ui:field'] = 'JsonField'
    for (const [name, inner] of Object.entries(field.properties ?? {})) ui[name] = fieldUi(inside(field, inner))
    // Undeclared members are accepted by the format, but a form that invites them only confuses.
    ui['ui:options'] = { expandable: false }
  }
  return ui
}

const PLAIN = new Set<Field['type']>(['string', 'number', 'integer'])

/** What is inside a secret is as secret. */
const inside = (outer: Field, inner: Field): Field => (outer.secret ? { ...inner, secret: true } : inner)

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
