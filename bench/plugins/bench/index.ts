import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { defineTool } from '@/sdk'

const output = z.object({ text: z.string() })
const text = 'x'.repeat(187)

const step = defineTool({
  name: 'bench.step',
  title: 'A step',
  description: 'Does nothing and returns 200 bytes.',
  effect: 'write',
  input: z.object({ text: z.string() }),
  output,
  run: async () => ({ text }),
})

const wait = defineTool({
  name: 'bench.wait',
  title: 'A step that takes a while',
  description: 'Waits so many milliseconds and returns 200 bytes.',
  effect: 'write',
  input: z.object({ ms: z.number() }),
  output,
  run: async (_, { ms }) => {
    await sleep(ms)
    return { text }
  },
})

export const tools = [step, wait]
