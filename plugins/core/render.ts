import { defineTool, FatalError, z } from '@/sdk'

/** The largest text that a template may become, in characters. */
const MAX_LENGTH = 200_000
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

export const render = defineTool({
  name: 'text.render',
  title: 'Fill in a text',
  description: 'Puts values into a template: {{name}} becomes the value of that name.',
  effect: 'read',
  input: z.object({
    template: z.string().max(MAX_LENGTH).describe('The text, with placeholders such as {{name}}'),
    values: z.record(z.string(), z.json()).default({}).describe('What stands for each name; null leaves nothing in its place'),
  }),
  output: z.object({ text: z.string() }),
  run(_ctx, { template, values }) {
    let length = template.length
    // One pass: a value that itself looks like a placeholder stays as it is.
    const text = template.replaceAll(PLACEHOLDER, (_whole, inside: string) => {
      const name = inside.trim()
      if (!Object.hasOwn(values, name)) throw new FatalError(`The template asks for '${name}', which has no value`)
      const words = inWords(values[name] ?? null)
      length += words.length
      if (length > MAX_LENGTH) throw new FatalError(`The text is longer than ${MAX_LENGTH} characters`)
      return words
    })
    return { text }
  },
})

function inWords(value: z.core.util.JSONType): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
