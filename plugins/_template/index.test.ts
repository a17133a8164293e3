import { expect, test } from 'vitest'
import { createTestEngine } from '@/sdk/testing'
import { tools, workflows } from './index'

/** As much of a database as the tool needs: its statements, and what they return. */
function notes() {
  const kept = new Map<string, string>()
  return {
    kept,
    async query<T extends object>(sql: string, [text, key]: readonly unknown[] = []): Promise<T[]> {
      if (sql.startsWith('INSERT')) kept.set(String(key), String(text))
      return sql.startsWith('SELECT') ? [{ count: kept.size } as T] : []
    },
  }
}

test('a note is kept, once for each run', async () => {
  const db = notes()
  const engine = createTestEngine({ tools, workflows, db })
  const run = await engine.start('take-a-note', { text: 'Water the plants' })
  await engine.settle()
  expect(engine.run(run)).toMatchObject({ status: 'succeeded', output: { notes: 1 } })
  expect([...db.kept]).toEqual([[`${run}:keep`, 'Water the plants']])
})

test('a database that is away is tried again later, and the note is kept once', async () => {
  const db = notes()
  let away = true
  const flaky = {
    query: <T extends object>(sql: string, params?: readonly unknown[]): Promise<T[]> =>
      away ? Promise.reject(Object.assign(new Error('away'), { name: 'TransientError' })) : db.query<T>(sql, params),
  }
  const engine = createTestEngine({ tools, workflows, db: flaky })
  const run = await engine.start('take-a-note', { text: 'Water the plants' })
  await engine.settle()
  expect(engine.run(run).steps.get('keep')).toMatchObject({ status: 'queued', attempt: 2 })
  away = false
  await engine.advanceTime(1_000)
  expect(engine.run(run).status).toBe('succeeded')
  expect(db.kept.size).toBe(1)
})

test('an empty note is refused by the tool', async () => {
  const engine = createTestEngine({ tools, workflows, db: notes() })
  const run = await engine.start('take-a-note', { text: '' })
  await engine.settle()
  expect(engine.run(run)).toMatchObject({ status: 'parked', error: { code: 'invalid_input', stepId: 'keep' } })
})
