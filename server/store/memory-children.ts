import { faceOf } from '@/server/engine/face'
import type { StepRef } from '@/server/engine/model'
import type { Child } from '@/server/engine/ports'
import { parseState } from '@/server/engine/serialize'
import { valueOf, type MemoryRow, type MemoryRun } from './memory-run'

type Runs = ReadonlyMap<string, MemoryRun>

/** The child that a row waits for, as it is committed. */
export function childOf(row: MemoryRow | undefined, runs: Runs): Child | null {
  if (row?.status !== 'waiting' || !row.child) return null
  const run = runs.get(row.child.runId)
  if (!run) return null
  const output = run.output === null ? null : (valueOf(run.output) ?? null)
  return { ...row.child, face: faceOf(parseState(run.state)), output, error: run.error }
}

/** Every row that waits for a child, and the child. */
export function* childrenOf(rows: Iterable<MemoryRow>, runs: Runs): Generator<Child & { ref: StepRef }> {
  for (const row of rows) {
    const child = childOf(row, runs)
    const { stepId, item, call, epoch } = row
    if (child) yield { ...child, ref: { stepId, item, call, epoch } }
  }
}

/** A run that was not told of a child, or whose children were not told to stop. */
export function isStale(run: MemoryRun, runs: Runs): boolean {
  return [...childrenOf(run.rows.values(), runs)].some(({ was, face }) => was !== face || gaveUp(run))
}

function gaveUp({ state }: MemoryRun): boolean {
  const { status, stopping } = parseState(state)
  const to = stopping?.to ?? status
  return to === 'cancelled' || to === 'rejected'
}
