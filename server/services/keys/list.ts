import type { Ctx } from '../context'
import type { ApiKeyView } from '../views'

export async function listKeys(ctx: Ctx): Promise<ApiKeyView[]> {
  throw new Error(`being built: ${ctx.channel}`)
}
