import { z } from 'zod'
import { notFound } from '../../errors'
import { getRun as readRun } from '../../store/postgres/read-runs'
import { listItems as readItems, type StepDetail } from '../../store/postgres/read-steps'
import { stoppedRuns } from '../../store/postgres/read-stopped'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { id, knownId, slug } from '../input'
import { iso, isoOrNull } from '../time'
import type { ItemData, ItemShape, ItemsView } from '../views'

export const listItemsInput = z.object({
  team: slug,
  id,
  stepId: slug,
  /** Items behind this one; counted from 0. */
  after: z.int().min(-1).max(10_000).default(-1),
  limit: z.int().min(1).max(100).default(50),
})

/** The items of a map in their order: with data for whoever may read the team's data, else their shape. */
export async function listItems(ctx: Ctx, input: z.output<typeof listItemsInput>): Promise<ItemsView> {
  const { teamId, readsData } = await enter(ctx, 'run.read_shape', input.team)
  const run = await readRun(ctx.db, teamId, knownId(input.id))
  if (!run) throw notFound()
  const { stepId, after, limit } = input
  const [rows, stopped] = await Promise.all([
    readItems(ctx.db, teamId, run.id, stepId, { afterItem: after, limit }),
    stoppedRuns(ctx.db, teamId, run.id, { stepId, first: after + 1, limit }),
  ])
  const items = rows.filter(({ call }) => call === '')
  const undo = new Map(rows.filter(({ call }) => call === 'undo').map((row) => [`${row.item} ${row.epoch}`, row]))
  const shape = (row: StepDetail) => ({
    ...itemShape(row, undo.get(`${row.item} ${row.epoch}`)),
    stopped: stopped.find(({ item }) => item === row.item)?.runId ?? null,
  })
  return readsData
    ? { view: 'data', rows: items.map((row) => ({ ...shape(row), ...itemData(row) })) }
    : { view: 'shape', rows: items.map(shape) }
}

const itemShape = (row: StepDetail, undo: StepDetail | undefined): Omit<ItemShape, 'stopped'> => ({
  item: row.item,
  status: row.status,
  attempt: row.attempt,
  startedAt: isoOrNull(row.startedAt),
  finishedAt: isoOrNull(row.finishedAt),
  notBefore: row.notBefore && row.status === 'queued' ? iso(row.notBefore) : null,
  errorCode: row.error?.code ?? null,
  undo: undo?.status ?? null,
  child: row.child,
})

const itemData = (row: StepDetail): Omit<ItemData, keyof ItemShape> => ({
  input: row.input.value,
  inputOmitted: row.input.omitted,
  output: row.output.value,
  outputOmitted: row.output.omitted,
  errorMessage: row.error?.message ?? null,
  flag: row.flag,
})
