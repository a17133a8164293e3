import { watchChanges } from '../live'
import { authed, router } from './init'

export const live = router({ changes: authed.subscription(({ ctx, signal }) => watchChanges(ctx, signal)) })
