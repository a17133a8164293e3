import { defineTool, defineWorkflow, field, z } from '@/sdk'

const add = defineTool({
  name: 'note.add',
  title: 'Add a note',
  description: "Keeps a note in the team's notes.",
  effect: 'write',
  input: z.object({ text: z.string().min(1).max(10_000).describe('What to remember') }),
  output: z.object({ notes: z.int().describe('How many notes the team has now') }),
  async run(ctx, { text }) {
    // The key is the same for every attempt of this call: a second one finds the note and adds nothing.
    await ctx.db.query('INSERT INTO notes (text, idempotency_key) VALUES ($1, $2) ON CONFLICT DO NOTHING', [text, ctx.idempotencyKey])
    const [row] = await ctx.db.query<{ count: number }>('SELECT count(*)::int AS count FROM notes')
    return { notes: row?.count ?? 0 }
  },
})

const takeANote = defineWorkflow(
  {
    slug: 'take-a-note',
    title: 'Take a note',
    description: "Keeps what you write in the team's notes.",
    input: { text: field.string({ title: 'What to remember', format: 'multiline', minLength: 1 }) },
  },
  (w) => {
    const keep = w.call('keep', add, { after: [], title: 'Keep it', with: { text: w.input.text } })
    return { notes: keep.output.notes }
  },
)

export const tools = [add]
export const workflows = [takeANote]
