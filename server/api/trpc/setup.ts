import { z } from 'zod'
import { text } from '../../services/input'
import { checkSetup } from '../../services/setup/check'
import { completeFirstSetup, completeSetupInput } from '../../services/setup/complete'
import { open, router } from './init'

/** For the one-time link on the console of an empty installation: nobody can be signed in yet. */
export const setup = router({
  check: open.input(z.object({ token: text(100) })).query(({ ctx, input }) => checkSetup(ctx.db, input.token)),
  complete: open.input(completeSetupInput).mutation(({ ctx, input }) => completeFirstSetup(ctx.db, input)),
})
