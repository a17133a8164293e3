import { NOTHING_TO_SCRUB, scrubOf } from '@/server/engine/scrub'
import { HIDDEN, type Json } from '@/spec'
import { expect, test } from 'vitest'
import { defineTool, FatalError, secret, type ToolContext, withCompensation, withHint, z } from '@/sdk'
import type { ToolCall } from '@/server/engine/ports'
import { createTools, type RegistryOptions } from './registry'

const call: ToolCall = {
  runId: 'r1',
  stepId: 'pay',
  item: -1,
  attempt: 2,
  idempotencyKey: 'r1:pay',
  principal: { userId: 'u1', teamId: 't1', locale: 'nl' },
  signal: new AbortController().signal,
  scrub: NOTHING_TO_SCRUB,
}

function toolThat(
  run: (ctx: ToolContext, input: { n: number }) => unknown,
  options?: RegistryOptions,
  output = z.object({ n: z.number() }),
) {
  const tool = defineTool({
    name: 'test.tool',
    title: 'T',
    description: 'D',
    effect: 'write',
    input: z.object({ n: z.number().default(7), note: z.string().optional() }),
    output,
    run: run as () => { n: number },
  })
  const plugin = { id: 'test', title: 'T', version: '1', description: 'D', jobs: [], workflows: [], tables: null }
  const found = createTools([{ ...plugin, tools: [{ tool, inputSchema: {}, outputSchema: {} }] }], options).find('test.tool')
  if (!found) throw new Error('not found')
  return found
}

test('an unknown tool is not found, whatever its name', () => {
  const tools = createTools([])
  expect(tools.find('constructor')).toBeNull()
})

test('problems of an input say where, as JSON Pointers', () => {
  const tool = toolThat(() => ({ n: 1 }))
  expect(tool.check({ n: 1 })).toEqual([])
  expect(tool.check({ n: 'x' })).toEqual([{ path: '/n', message: expect.stringContaining('number') }])
  expect(tool.check({ m: 1 })).toEqual([{ path: '', message: expect.stringContaining('m') }])
  expect(tool.check(tool.dropNulls({ n: null, note: null }))).toEqual([])
})

test('the tool is told of its call, and gets the input with its defaults', async () => {
  let seen: unknown
  const tool = toolThat(({ logger: _logger, db: _db, ...context }, input) => {
    seen = { context, input }
    return { n: 1 }
  })
  expect(await tool.run(call, {})).toEqual({ output: { n: 1 } })
  const { runId, stepId, item, attempt, idempotencyKey, principal, signal } = call
  expect(seen).toEqual({ context: { runId, stepId, item, attempt, idempotencyKey, principal, signal }, input: { n: 7 } })
})

test('a hint and a compensation come through', async () => {
  const compensation = { uses: 'tool:test.undo', with: { id: 1 } } as const
  const tool = toolThat(() => withHint(withCompensation({ n: 1 }, compensation), 'look at it'))
  expect(await tool.run(call, {})).toEqual({ output: { n: 1 }, hint: 'look at it', compensation })
})

test('members that the output does not declare are left out', async () => {
  expect(await toolThat(() => ({ n: 1, password: 'x' })).run(call, {})).toEqual({ output: { n: 1 } })
})

test('an output that breaks its schema is kept and flagged, because its effect has happened', async () => {
  const lines: string[] = []
  const tool = toolThat(() => ({ n: 'one' }), { log: (_level, message) => lines.push(message) })
  expect(await tool.run(call, {})).toEqual({ output: { n: 'one' }, flag: 'output_invalid' })
  expect(lines).toEqual([expect.stringContaining('test.tool')])
})

test('an output that is nothing at all is flagged', async () => {
  expect(await toolThat(() => {}).run(call, {})).toEqual({ output: null, flag: 'output_invalid' })
})

test('an output whose check throws is kept and flagged too, with how to undo it', async () => {
  const lines: string[] = []
  const compensation = { uses: 'tool:test.undo', with: {} } as const
  const check = z.object({ n: z.number() }).refine(() => {
    throw new Error('no')
  })
  const tool = toolThat(() => withCompensation({ n: 1 }, compensation), { log: (_level, message) => lines.push(message) }, check)
  expect(await tool.run(call, {})).toEqual({ output: { n: 1 }, flag: 'output_invalid', compensation })
  expect(lines).toEqual([expect.stringContaining('test.tool')])
})

test.each(['then', 'n'])('an object that throws when it is asked for its %s has been returned all the same', async (name) => {
  const returned = Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
  expect(await toolThat(() => returned).run(call, {})).toMatchObject({ flag: 'output_invalid' })
})

test('what a tool throws arrives as it was thrown', async () => {
  const error = new FatalError('no')
  const tool = toolThat(() => {
    throw error
  })
  await expect(tool.run(call, {})).rejects.toBe(error)
})

test('an input that does not fit never reaches the tool', async () => {
  let ran = false
  const tool = toolThat(() => {
    ran = true
  })
  await expect(tool.run(call, { n: 'x' })).rejects.toMatchObject({ name: 'FatalError', message: expect.stringContaining('input') })
  expect(ran).toBe(false)
})

test("a tool's log lines name the run, and the tool cannot claim another", async () => {
  const lines: unknown[] = []
  const tool = toolThat(
    ({ logger }) => {
      logger.warn('slow', { ms: 5, run_id: 'other' })
      return { n: 1 }
    },
    { log: (...line) => lines.push(line) },
  )
  await tool.run(call, {})
  expect(lines).toEqual([['warn', 'slow', { ms: 5, plugin: 'test', run_id: 'r1', step_id: 'pay', item: -1, attempt: 2 }]])
})

test('what is secret in the input is declared, and stays out of the log lines', async () => {
  const lines: unknown[] = []
  const tool = defineTool({
    name: 'test.tool',
    title: 'T',
    description: 'D',
    effect: 'write',
    input: z.object({ login: z.object({ user: z.string(), password: secret(z.string().describe('P')) }) }),
    output: z.null(),
    run: ({ logger }, { login }) => {
      logger.info(`signing in with ${login.password}`, { user: login.user, url: `https://x/?p=${login.password}`, n: 1 })
      return null
    },
  })
  const [loaded] = [tool].map((one) => ({ tool: one, inputSchema: z.toJSONSchema(one.input) as Json, outputSchema: {} }))
  const plugin = { id: 'test', title: 'T', version: '1', description: 'D', jobs: [], workflows: [], tables: null, tools: [loaded!] }
  const found = createTools([plugin], { log: (...line) => lines.push(line) }).find('test.tool')
  const input = { login: { user: 'u', password: 'canary' } }
  await found?.run({ ...call, scrub: scrubOf(found.secrets, input) }, input)
  expect(lines).toMatchObject([['info', `signing in with ${HIDDEN}`, { user: 'u', url: `https://x/?p=${HIDDEN}`, n: 1, run_id: 'r1' }]])
})

test('a plugin without tables is told so', async () => {
  await expect(toolThat(({ db }) => db.query('SELECT 1')).run(call, {})).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining('no tables'),
  })
})
