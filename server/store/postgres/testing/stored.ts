import { sql } from 'drizzle-orm'
import type { Decision, Gate, StepRow } from '@/server/engine/ports'
import { stepRow as memoryStepRow, valueOf, type MemoryRun } from '@/server/store/memory-run'
import { decisions, gateOf, type RawGate } from '../gates'
import { instant, parseDoc, type RawStep, STEP_COLUMNS, stepRow } from '../sql'
import type { World } from './world'

/*
 * What a store keeps of a run, in one form for both: whatever the engine reads again and people are shown. Left out are the ids of jobs, gates and
 * definitions, which are drawn, and what only PostgreSQL keeps (the history of attempts, when a row ended).
 */

type Rest = {
  items: number | null
  input: unknown
  undoable: boolean
  ambiguous: boolean
  flag: string | null
  plugin: string | null
  child: string | null
  face: string | null
}

/** By what they are of. */
const byPlace = (list: { stepId: string; item?: number; call?: string; epoch: number }[]) =>
  Object.fromEntries(list.map((one) => [`${one.stepId} ${one.item ?? ''} ${one.call ?? ''} ${one.epoch}`, one]))
const rowOf = (row: StepRow, rest: Rest) => ({ ...row, jobId: null, ...rest })
const gateIn = (gate: Gate, decided: Decision[]) => ({
  ...gate,
  id: null,
  decided: Object.fromEntries(decided.map((one) => [one.userId, one])),
})

export function storedInMemory({ run, input, rows, gates, timers, decisions, ...kept }: MemoryRun): object {
  const { parent, depth, pins } = run.kin
  return {
    workflow: `${run.definition.slug} ${run.definition.version}`,
    parent: parent && `${parent.runId} ${parent.stepId} ${parent.item} ${parent.epoch}`,
    depth,
    pins: Object.keys(pins).sort(),
    title: run.title,
    input: parseDoc(input),
    state: parseDoc(kept.state),
    status: kept.status,
    version: kept.version,
    output: parseDoc(kept.output),
    error: kept.error,
    rows: byPlace(
      [...rows.values()].map((row) => {
        const { items, undoable, ambiguous, flag, plugin, child } = row
        const input = valueOf(row.input) ?? null
        const started = { child: child?.runId ?? null, face: child?.was ?? null }
        return rowOf(memoryStepRow(row), { items, input, undoable, ambiguous, flag, plugin, ...started })
      }),
    ),
    gates: byPlace([...gates.values()].map((gate) => gateIn(gate, decisions.get(gate.id) ?? []))),
    timers: byPlace([...timers.values()].map(({ stepId, epoch, dueAt, status }) => ({ stepId, epoch, dueAt, status }))),
  }
}

type RawStored = {
  id: string
  workflow: string
  parent: string | null
  depth: number
  pins: string | null
  title: string | null
  input: string
  cursor_json: string
  status: string
  version: number
  output: string | null
  error: string | null
}

type RawRest = Omit<Rest, 'input'> & { input: string | null }
type OfRun = { run_id: string }
type RawTimer = OfRun & { step_id: string; epoch: number; due_at: string; status: string }

/** Every run of the database, by its id. */
export async function storedOnPostgres({ db }: World): Promise<Record<string, object>> {
  const [runs, rows, gates, timers] = await Promise.all([
    db.execute<RawStored>(sql`
      SELECT r.id, d.slug || ' ' || d.version AS workflow, r.parent_run_id || ' ' || r.parent_step_id || ' ' || r.parent_item || ' ' || r.parent_epoch AS parent,
        r.depth, r.pins, r.title, r.input, r.cursor_json, r.status, r.version, r.output, r.error
      FROM workflow_runs r JOIN workflow_defs d ON d.id = r.def_id`),
    db.execute<OfRun & RawStep & RawRest>(sql`
      SELECT s.run_id, ${STEP_COLUMNS}, s.items, s.input, s.undoable, s.ambiguous, s.flag, s.plugin, s.child_run_id AS child, s.child_face AS face
      FROM workflow_steps s`),
    db.execute<RawGate>(sql`SELECT * FROM gates`),
    db.execute<RawTimer>(sql`SELECT run_id, step_id, epoch, due_at, status FROM workflow_timers`),
  ])
  const decided = new Map<string, Decision[]>()
  for (const { id } of gates.rows) decided.set(id, await decisions(db, id))
  const entries = runs.rows.map(({ id, cursor_json: state, ...raw }) => {
    const ofRun = <T extends OfRun>(list: { rows: T[] }) => list.rows.filter(({ run_id: runId }) => runId === id)
    const kept = {
      ...raw,
      pins: Object.keys(parseDoc<object>(raw.pins) ?? {}).sort(),
      input: parseDoc(raw.input),
      state: parseDoc(state),
      output: parseDoc(raw.output),
      error: parseDoc(raw.error),
      rows: byPlace(ofRun(rows).map(storedRow)),
      gates: byPlace(ofRun(gates).map((gate) => gateIn(gateOf(gate), decided.get(gate.id) ?? []))),
      timers: byPlace(
        ofRun(timers).map(({ step_id: stepId, epoch, due_at, status }) => ({ stepId, epoch, dueAt: instant(due_at), status })),
      ),
    }
    return [id, kept] as const
  })
  return Object.fromEntries(entries)
}

function storedRow(raw: RawStep & RawRest) {
  const { items, undoable, ambiguous, flag, plugin, child, face } = raw
  return rowOf(stepRow(raw), { items, input: parseDoc(raw.input), undoable, ambiguous, flag, plugin, child, face })
}
