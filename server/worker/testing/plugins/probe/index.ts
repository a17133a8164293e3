import { appendFile, access } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob, defineTool, type ToolContext, z } from '@/sdk'

/** Says in a file that it was called, and then holds its attempt until a second file is there. */
async function run({ attempt, idempotencyKey, signal }: ToolContext, { calls, until }: { calls: string; until: string }) {
  await appendFile(calls, `${idempotencyKey} ${attempt}\n`)
  while (!(await exists(until))) await sleep(50, undefined, { signal })
  return { attempt }
}

const definition = {
  title: 'Hold',
  description: 'Waits for a file.',
  effect: 'write' as const,
  input: z.object({ calls: z.string(), until: z.string() }),
  output: z.object({ attempt: z.number() }),
  run,
}
const hold = defineTool({ ...definition, name: 'probe.hold' })
/** The same as a job; and one that must not be done twice. */
const holdLong = defineJob({ ...definition, kind: 'probe.hold' })
const holdOnce = defineJob({ ...definition, kind: 'probe.once', effect: 'once' })

/** Fails with what it was given, in every way that an error can hold it, and leaves a promise behind that does the same. */
const fail = defineTool({
  name: 'probe.fail',
  title: 'Fail',
  description: 'Fails.',
  effect: 'write',
  input: z.object({ text: z.string() }),
  output: z.object({}),
  async run(_, { text }) {
    void Promise.reject(new Error(text))
    await sleep(1)
    throw Object.assign(new Error(text, { cause: new TypeError(text) }), { name: text, code: text, [text]: text })
  },
})

/** Says in a file that it was called; its first attempt then never gives the event loop back. */
const block = defineTool({
  name: 'probe.block',
  title: 'Block',
  description: 'Blocks the event loop.',
  effect: 'write',
  input: z.object({ calls: z.string(), until: z.string() }),
  output: z.object({ attempt: z.number() }),
  async run({ attempt, idempotencyKey }, { calls }) {
    await appendFile(calls, `${idempotencyKey} ${attempt}\n`)
    if (attempt === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    return { attempt }
  },
})

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

export const tools = [hold, fail, block]
export const jobs = [holdLong, holdOnce]
