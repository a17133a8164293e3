import { expect, test } from 'vitest'
import type { ToolContext } from '@/sdk'
import { pick } from './pick'
import { render } from './render'
import { now } from './time'

const ctx = {} as ToolContext
const rendered = async (template: string, values: Parameters<typeof render.run>[1]['values'] = {}) =>
  await render.run(ctx, { template, values })

test('placeholders become values, as often as they stand there', async () => {
  expect(await rendered('Dear {{name}}, {{ name }}: {{n}}{{none}}', { name: 'Mia', n: 3, none: null })).toEqual({
    text: 'Dear Mia, Mia: 3',
  })
})

test('a value is never looked into for placeholders', async () => {
  expect(await rendered('{{a}}', { a: '{{b}} $& $1', b: 'secret' })).toEqual({ text: '{{b}} $& $1' })
})

test('lists and objects are written as JSON', async () => {
  expect(await rendered('{{a}}', { a: { b: [1, true] } })).toEqual({ text: '{"b":[1,true]}' })
})

test.each(['missing', 'constructor', '__proto__'])('a placeholder without a value (%s) is an error that names it', async (name) => {
  await expect(rendered(`{{${name}}}`)).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining(name),
  })
})

test('a text cannot grow without bounds', async () => {
  await expect(rendered('{{a}}'.repeat(10_000), { a: 'x'.repeat(1_000) })).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining('longer'),
  })
})

test.each([
  ['items.0.name', 'Mia'],
  ['items.1', null],
  ['items.00.name', null],
  ['items.length', null],
  ['items.0.name.length', null],
  ['constructor', null],
  ['07', 'digits name keys of objects'],
  ['items', [{ name: 'Mia' }]],
])('the path %s leads to %j', async (path, value) => {
  const from = { items: [{ name: 'Mia' }], '07': 'digits name keys of objects' }
  expect(await pick.run(ctx, { from, path })).toEqual({ value })
})

test('the time fits its schema and is now', async () => {
  const before = Date.now()
  const output = now.output.parse(await now.run(ctx, {}))
  expect(Date.parse(output.now)).toBeGreaterThanOrEqual(before)
  expect(output.now.startsWith(output.date)).toBe(true)
})
