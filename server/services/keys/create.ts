import { z } from 'zod'
import { SCOPES } from '../../auth/principal'
import type { Ctx } from '../context'
import { slug } from '../input'
import type { ApiKeyView } from '../views'

export const createKeyInput = z.object({
  team: slug,
  name: z.string().trim().min(1, 'Please name the key, so that you recognise it later.').max(100),
  scopes: z.array(z.enum(SCOPES)).min(1, 'Please choose what the key may do.'),
  days: z.int().min(1).max(366).default(90),
})

export async function createKey(ctx: Ctx, input: z.output<typeof createKeyInput>): Promise<ApiKeyView & { key: string }> {
  throw new Error(`being built: ${ctx.channel} ${input.team}`)
}
