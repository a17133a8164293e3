import { createKey, createKeyInput } from '../../services/keys/create'
import { listKeys } from '../../services/keys/list'
import { revokeKey, revokeKeyInput } from '../../services/keys/revoke'
import { authed, router } from './init'

export const keys = router({
  list: authed.query(({ ctx }) => listKeys(ctx)),
  create: authed.input(createKeyInput).mutation(({ ctx, input }) => createKey(ctx, input)),
  revoke: authed.input(revokeKeyInput).mutation(({ ctx, input }) => revokeKey(ctx, input)),
})
