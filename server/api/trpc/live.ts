import { watchChanges } from '../live'
import { authed, refusing, router } from './init'

export const live = router({ changes: authed.subscription(({ ctx, signal }) => refusing(watchChanges(ctx, signal))) })
