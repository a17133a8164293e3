import { text } from '../../services/input'
import { cancelRun, cancelRunInput } from '../../services/runs/cancel'
import { getRun, getRunInput } from '../../services/runs/get'
import { listRuns, listRunsInput } from '../../services/runs/list'
import { startRun, startRunInput } from '../../services/runs/start'
import { watchRun } from '../live'
import { authed, refusing, router } from './init'

export const runs = router({
  start: authed.input(startRunInput).mutation(({ ctx, input }) => startRun(ctx, input)),
  list: authed.input(listRunsInput).query(({ ctx, input }) => listRuns(ctx, input)),
  get: authed.input(getRunInput).query(({ ctx, input }) => getRun(ctx, input)),
  watch: authed
    .input(getRunInput.extend({ lastEventId: text(100).nullish() }))
    .subscription(({ ctx, input, signal }) => refusing(watchRun(ctx, input, signal))),
  cancel: authed.input(cancelRunInput).mutation(({ ctx, input }) => cancelRun(ctx, input)),
})
