import { expect, test } from 'vitest'
import { uiSchemaOf } from './ui-schema'

const widgetOf = (ui: unknown) => (ui as Record<string, unknown> | undefined)?.['ui:widget']

test('a secret is typed unseen, whatever it is and wherever it stands', () => {
  const ui = uiSchemaOf({
    key: { type: 'string', secret: true },
    pin: { type: 'integer', secret: true },
    pem: { type: 'string', format: 'multiline', secret: true },
    login: { type: 'object', secret: true, properties: { user: { type: 'string' } } },
    codes: { type: 'array', items: { type: 'object', properties: { code: { type: 'number', secret: true }, note: { type: 'string' } } } },
  })
  expect([widgetOf(ui.key), widgetOf(ui.pin)]).toEqual(['PasswordWidget', 'PasswordWidget'])
  // The text box hides what it holds: a password field would drop the line breaks.
  expect(widgetOf(ui.pem)).toBe('textarea')
  expect([widgetOf(ui.login), widgetOf(ui.login?.user)]).toEqual([undefined, 'PasswordWidget'])
  expect([widgetOf(ui.codes?.items?.code), widgetOf(ui.codes?.items?.note)]).toEqual(['PasswordWidget', undefined])
})
