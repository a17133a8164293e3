import { text } from '../../services/input'
import { cancelRun, cancelRunInput } from '../../services/runs/cancel'
import { getRun, getRunInput } from '../../services/runs/get'
import { listItems, listItemsInput } from '../../services/runs/items'
import { listRuns, listRunsInput } from '../../services/runs/list'
import {
  outcomeForm,
  outcomeFormInput,
  outcomeFormOutput,
  recordOutcome,
  recordOutcomeInput,
  recordOutcomeOutput,
} from '../../services/runs/record-outcome'
import {
  planRedrive,
  planRedriveInput,
  planRedriveOutput,
  redriveRun,
  redriveRunInput,
  redriveRunOutput,
} from '../../services/runs/redrive'
import { startRun, startRunInput } from '../../services/runs/start'
import { listTurns, listTurnsInput } from '../../services/runs/turns'
import { watchRun } from '../live'
import { authed, refusing, router } from './init'

const tags = ['Runs']

export const runs = router({
  start: authed.input(startRunInput).mutation(({ ctx, input }) => startRun(ctx, input)),
  list: authed.input(listRunsInput).query(({ ctx, input }) => listRuns(ctx, input)),
  get: authed.input(getRunInput).query(({ ctx, input }) => getRun(ctx, input)),
  items: authed.input(listItemsInput).query(({ ctx, input }) => listItems(ctx, input)),
  turns: authed.input(listTurnsInput).query(({ ctx, input }) => listTurns(ctx, input)),
  watch: authed
    .input(getRunInput.extend({ lastEventId: text(100).nullish() }))
    .subscription(({ ctx, input, signal }) => refusing(watchRun(ctx, input, signal))),
  cancel: authed.input(cancelRunInput).mutation(({ ctx, input }) => cancelRun(ctx, input)),
  redrivePlan: authed
    .meta({
      openapi: {
        method: 'GET',
        path: '/t/{team}/runs/{id}/redrive',
        tags,
        protect: true,
        summary: 'What re-driving a parked run would do',
      },
    })
    .input(planRedriveInput)
    .output(planRedriveOutput)
    .query(({ ctx, input }) => planRedrive(ctx, input)),
  redrive: authed
    .meta({
      openapi: { method: 'POST', path: '/t/{team}/runs/{id}/redrive', tags, protect: true, summary: 'Run again what failed or was undone' },
    })
    .input(redriveRunInput)
    .output(redriveRunOutput)
    .mutation(({ ctx, input }) => redriveRun(ctx, input)),
  outcomeForm: authed
    .input(outcomeFormInput)
    .output(outcomeFormOutput)
    .query(({ ctx, input }) => outcomeForm(ctx, input)),
  recordOutcome: authed
    .meta({
      openapi: {
        method: 'POST',
        path: '/t/{team}/runs/{id}/outcome',
        tags,
        protect: true,
        summary: 'Record how a call ended of which nobody knows',
      },
    })
    .input(recordOutcomeInput)
    .output(recordOutcomeOutput)
    .mutation(({ ctx, input }) => recordOutcome(ctx, input)),
})
