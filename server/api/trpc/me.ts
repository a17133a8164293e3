import { getMe } from '../../services/me/get'
import { updateMe, updateMeInput } from '../../services/me/update'
import { authed, router } from './init'

export const me = router({
  get: authed.query(({ ctx }) => getMe(ctx)),
  update: authed.input(updateMeInput).mutation(({ ctx, input }) => updateMe(ctx, input)),
})
