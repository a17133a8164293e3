import { expect, test } from 'vitest'
import type { Json } from '@/spec'
import { outputSkeleton } from './output-skeleton'

test('has an empty value for every member that is demanded, and no other', () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      n: { type: 'integer' },
      ok: { type: 'boolean' },
      list: { type: 'array' },
      in: { type: 'object' },
      more: {},
    },
    required: ['id', 'n', 'ok', 'list', 'in', 'odd'],
  }
  expect(JSON.parse(outputSkeleton(schema))).toEqual({ id: '', n: 0, ok: false, list: [], in: {}, odd: null })
})

test('is empty where nothing is demanded, whatever the schema is', () => {
  const schemas: Json[] = [null, true, 'x', [], {}, { properties: { a: {} } }, { required: 'a' }, { required: [] }]
  for (const schema of schemas) expect(outputSkeleton(schema)).toBe('')
})
