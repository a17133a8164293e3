import { appendFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, TransientError, type ToolContext, z } from '@/sdk'

const input = z.object({ file: z.string(), ms: z.number(), failures: z.number().optional() })
const output = z.object({ attempt: z.number() })

/** Appends one line, which is the effect, somewhere in the middle of its time; before that the first attempts may fail. */
async function effect({ attempt, idempotencyKey, signal }: ToolContext, { file, ms, failures = 0 }: z.infer<typeof input>) {
  await sleep(ms / 2, undefined, { signal })
  if (attempt <= failures) throw new TransientError('not yet')
  await appendFile(file, `${idempotencyKey} ${attempt}\n`)
  await sleep(ms / 2, undefined, { signal })
  return { attempt }
}

const common = { title: 'Effect', description: 'Writes down that it happened.', input, output, run: effect }

export const tools = [
  defineTool({ ...common, name: 'chaos.write', effect: 'write' }),
  defineTool({ ...common, name: 'chaos.once', effect: 'once' }),
]
