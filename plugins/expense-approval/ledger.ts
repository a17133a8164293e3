import { defineTool, FatalError, z } from '@/sdk'

const entryId = z.uuid().describe('Names an entry of the ledger')

export const post = defineTool({
  name: 'ledger.post',
  title: 'Post to the ledger',
  description: "Writes an entry into the team's ledger. A repeat under the same key finds the entry that is there.",
  effect: 'write',
  input: z.object({ amount: z.number().describe('In euros'), memo: z.string().max(10_000).describe('What it was for') }),
  output: z.object({ entry_id: entryId }),
  async run({ db, idempotencyKey }, { amount, memo }) {
    const [written] = await db.query<{ id: string }>(
      'INSERT INTO entries (amount, memo, idempotency_key) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
      [amount, memo, idempotencyKey],
    )
    if (written) return { entry_id: written.id }
    const [found] = await db.query<{ id: string }>('SELECT id FROM entries WHERE idempotency_key = $1', [idempotencyKey])
    if (!found) throw new FatalError('The entry was neither written nor found')
    return { entry_id: found.id }
  },
})

export const reverse = defineTool({
  name: 'ledger.reverse',
  title: 'Reverse a ledger entry',
  description: 'Writes the opposite of an entry, once: reversing it again finds the reversal that is there.',
  effect: 'write',
  input: z.object({ entry: entryId }),
  output: z.object({ entry_id: entryId }),
  async run({ db, idempotencyKey }, { entry }) {
    const [written] = await db.query<{ id: string }>(
      `INSERT INTO entries (amount, memo, reverses, idempotency_key)
       SELECT -amount, 'Reversal: ' || memo, id, $2 FROM entries WHERE id = $1 AND reverses IS NULL
       ON CONFLICT DO NOTHING RETURNING id`,
      [entry, idempotencyKey],
    )
    if (written) return { entry_id: written.id }
    const [found] = await db.query<{ id: string }>('SELECT id FROM entries WHERE reverses = $1', [entry])
    if (!found) throw new FatalError(`There is no entry ${entry} that could be reversed`)
    return { entry_id: found.id }
  },
})

export const list = defineTool({
  name: 'ledger.list',
  title: 'List the ledger',
  description: "The newest entries of the team's ledger, and its balance over all entries.",
  effect: 'read',
  input: z.object({ limit: z.int().min(1).max(1_000).default(100) }),
  output: z.object({
    balance: z.number(),
    entries: z.array(
      z.object({
        entry_id: entryId,
        amount: z.number(),
        memo: z.string(),
        reverses: entryId.nullable(),
        at: z.iso.datetime(),
      }),
    ),
  }),
  async run({ db }, { limit }) {
    const rows = await db.query<{ id: string; amount: string; memo: string; reverses: string | null; created_at: Date; balance: string }>(
      `SELECT id, amount, memo, reverses, created_at, sum(amount) OVER () AS balance
       FROM entries ORDER BY created_at DESC, id LIMIT $1`,
      [limit],
    )
    return {
      balance: Number(rows[0]?.balance ?? 0),
      entries: rows.map((row) => ({
        entry_id: row.id,
        amount: Number(row.amount),
        memo: row.memo,
        reverses: row.reverses,
        at: row.created_at.toISOString(),
      })),
    }
  },
})
