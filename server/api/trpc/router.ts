import { approvals } from './approvals'
import { router } from './init'
import { keys } from './keys'
import { live } from './live'
import { me } from './me'
import { runs } from './runs'
import { setup } from './setup'
import { workflows } from './workflows'

export const appRouter = router({ me, workflows, runs, approvals, live, keys, setup })

/** What clients are typed by. */
export type AppRouter = typeof appRouter
