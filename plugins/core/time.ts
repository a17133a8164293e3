import { defineTool, z } from '@/sdk'

export const now = defineTool({
  name: 'time.now',
  title: 'What time it is',
  description: 'The present time and date in UTC. A repeated attempt gives a later time.',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    now: z.iso.datetime().describe('RFC 3339, in UTC'),
    date: z.iso.date().describe('The date of it, in UTC'),
  }),
  run() {
    const now = new Date().toISOString()
    return { now, date: now.slice(0, 10) }
  },
})
