import type { StepRef } from '@/server/engine/model'
import { referenceOutput } from '@/server/engine/outputs'
import type { AttemptEnd, StepRow } from '@/server/engine/ports'
import type { MemoryQueue } from '@/server/queue/memory'
import type { Json } from '@/spec'
import { stepRow, textOf, valueOf, type MemoryRow } from './memory-run'

export const refOf = ({ stepId, item, call, epoch }: StepRef): StepRef => ({ stepId, item, call, epoch })

/** What an attempt's end writes to its row. */
export function ended(end: AttemptEnd): Partial<MemoryRow> {
  switch (end.kind) {
    case 'succeeded': {
      const { output, hint, compensation, flag } = end.result
      return {
        status: 'succeeded',
        seq: end.seq,
        output: textOf(output),
        hint: hint ?? null,
        flag: flag ?? null,
        compensation: compensation ? JSON.stringify(compensation) : null,
        undoable: end.undoable,
        error: null,
      }
    }
    case 'failed':
      return { status: 'failed', error: end.error }
    case 'retry':
      return { status: 'queued', attempt: end.attempt, jobId: end.job.id, error: end.error }
    case 'interrupted':
      return { status: 'pending', jobId: null }
    case 'child':
      return { status: 'waiting', jobId: null, error: null, child: { runId: end.runId, was: 'busy' } }
  }
}

/** Rows that should have a job, and whose job is not there. */
export function lostRowsOf(rows: Iterable<MemoryRow>, queue: MemoryQueue): StepRow[] {
  const lost: StepRow[] = []
  for (const row of rows) {
    if (row.call.startsWith('t')) continue
    if ((row.status === 'queued' || row.status === 'running') && (row.jobId === null || !queue.has(row.jobId))) lost.push(stepRow(row))
  }
  return lost
}

/** Outputs as references see them, of the latest epoch of each step. */
export function outputsOf(stepIds: readonly string[], rows: Iterable<MemoryRow>): Map<string, Json> {
  const outputs = new Map<string, Json>()
  const latest = latestOf(rows, (row) => row.item < 0)
  for (const stepId of stepIds) {
    const row = latest.get(`${stepId}/-1`)
    const output = row && referenceOutput({ status: row.status, output: valueOf(row.output), error: row.error })
    if (output !== undefined) outputs.set(stepId, output)
  }
  return outputs
}

/** The rows of the highest epoch of each step and item, by `step/item`; undo rows are not among them. */
export function latestOf(rows: Iterable<MemoryRow>, which: (row: MemoryRow) => boolean): Map<string, MemoryRow> {
  const latest = new Map<string, MemoryRow>()
  for (const row of rows) {
    if (row.call !== '' || !which(row)) continue
    const key = `${row.stepId}/${row.item}`
    const before = latest.get(key)
    if (!before || row.epoch > before.epoch) latest.set(key, row)
  }
  return latest
}
