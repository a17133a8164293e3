import { workflowJsonSchema } from '@/spec'
import type { Command } from './command'

export const schema: Command = (_files, _options, terminal) => {
  terminal.print(JSON.stringify(workflowJsonSchema(), null, 2))
  return 0
}
