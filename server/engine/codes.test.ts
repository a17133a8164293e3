import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RUN_CODES, type Json, type WorkflowSpec } from '@/spec'
import { createTestEngine, testTool, type TestEngineOptions } from './testing'

/*
 * The engine can emit no code but those of `RUN_CODES`: its errors are typed by them. Here: that each of them is met by a test or a case of the
 * conformance kit, and those that nothing else meets.
 */

async function runOf(steps: WorkflowSpec['steps'], options: Omit<TestEngineOptions, 'workflows'>) {
  const t = createTestEngine({ ...options, workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps }] })
  const id = await t.start('flow')
  return { t, id, run: () => t.run(id), step: (stepId: string) => t.run(id).steps.get(stepId) }
}
const call = (over: object = {}) => ({ id: 'a', uses: 'tool:a' as const, after: [], ...over })
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a code says how a call ended', () => {
  test('network: a connection that broke, with no attempts left', async () => {
    const a = testTool('a', () => {
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    })
    const { t, run } = await runOf([call({ retry: { max_attempts: 1 } })], { tools: [a] })
    await t.settle()
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'network', stepId: 'a' } })
  })

  test('platform_error: what could not be asked is asked again, and uses no attempt', async () => {
    let broken = true
    const access = {
      admit: async () => {
        if (broken) throw new Error('the database is away')
        return { ok: true as const }
      },
    }
    const { t, run, step } = await runOf([call()], { tools: [testTool('a', () => 1)], access })
    await t.settle()
    expect(step('a')).toMatchObject({ status: 'queued', attempt: 1, error: { code: 'platform_error' } })
    broken = false
    await t.advanceTime(60_000)
    expect(run().status).toBe('succeeded')
  })

  test('aborted: an undo that a cancel told to stop, and which is tried again', async () => {
    const undoing = Promise.withResolvers<Json>()
    const fails = testTool('fails', () => {
      throw Object.assign(new Error('no'), { name: 'FatalError' })
    })
    const undo = testTool('undo', (_, { attempt }) => (attempt === 1 ? undoing.promise : null))
    const steps: WorkflowSpec['steps'] = [
      call({ compensate: { uses: 'tool:undo', with: {} } }),
      { id: 'b', uses: 'tool:fails', after: ['a'] },
    ]
    const { t, id, run, step } = await runOf(steps, { tools: [testTool('a', () => 1), fails, undo] })
    const settling = t.settle()
    await turn()
    await t.engine.cancel(id)
    undoing.reject(new Error('told to stop'))
    await settling
    expect([run().status, step('a')?.undo]).toMatchObject(['cancelled', { status: 'queued', error: { code: 'aborted' } }])
    await t.advanceTime(60_000)
    expect(step('a')?.status).toBe('compensated')
  })
})

/** Tests and cases, as text: a code that none of them has in quotes is one that nobody has seen. */
const texts = [
  ...filesIn(join(import.meta.dirname, '..')).filter((file) => /test(suite)?\./.test(file)),
  ...filesIn(join(import.meta.dirname, '../../spec/conformance/cases/runs')),
].map((file) => readFileSync(file, 'utf8'))

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test.each(Object.keys(RUN_CODES))('%s is met by a test or a case', (code) => {
  expect(texts.some((text) => text.includes(`'${code}'`) || text.includes(`"${code}"`))).toBe(true)
})
