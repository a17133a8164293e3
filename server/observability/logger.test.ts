import { expect, it } from 'vitest'
import { createLogger } from './logger'

function logged(write: (log: ReturnType<typeof createLogger>) => void): { line: Record<string, unknown>; text: string } {
  const lines: string[] = []
  write(createLogger({ level: 'info', name: 'test', destination: { write: (text: string) => void lines.push(text) } }))
  expect(lines).toHaveLength(1)
  return { line: JSON.parse(lines[0]!) as Record<string, unknown>, text: lines[0]! }
}

it('writes an event as one JSON object with its ids', () => {
  const { line } = logged((log) => log.event('step_start', { run_id: 'r', step_id: 's', attempt: 1 }))
  expect(line).toMatchObject({ event: 'step_start', name: 'test', run_id: 'r', step_id: 's', attempt: 1 })
})

it('keeps the values of a failed statement out of the log, and the chain of causes in it', () => {
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(mia@example.com) already exists.' })
  const error = Object.assign(new Error('Failed query: insert … params: mia@example.com', { cause }), {
    query: 'insert into users values ($1)',
    params: ['mia@example.com'],
  })
  const { line, text } = logged((log) => log.error('sign-up', error))
  expect(text).not.toContain('mia@')
  expect(line).toMatchObject({
    error: { query: 'insert into users values ($1)', causes: [{ name: 'Error' }, { name: 'Error', code: '23505' }] },
  })
})

it('keeps what is secret by its name out of the log', () => {
  const { text } = logged((log) => log.line('info', 'signing in', { password: 'hunter2', token: 'abc' }))
  expect(text).not.toMatch(/hunter2|abc/)
})
