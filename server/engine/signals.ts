import type { JobData, NewSignal, RunTx, SignalData } from './ports'

/** Whether a job lets a run hear of another one, rather than doing a row's work. */
export const isSignal = (data: JobData): data is SignalData => data.call === 'child' || data.call === 'cancel'

/** Tells a run to stop. */
export const cancelOf = (runId: string): SignalData => ({ runId, stepId: '', item: -1, call: 'cancel', epoch: 1 })

/** Tells every child run that has not ended to stop. With `stepId` only that step's, and its rows wait for them no longer. */
export async function cancelChildren(tx: RunTx, newId: () => string, stepId?: string): Promise<void> {
  const children = (await tx.children()).filter(({ ref }) => stepId === undefined || ref.stepId === stepId)
  if (stepId !== undefined) for (const { ref } of children) await tx.endChild(ref, { kind: 'cancelled' })
  const alive = children.filter(({ face }) => face !== 'succeeded' && face !== 'rejected' && face !== 'cancelled')
  const { teamId } = tx.run.principal
  await tx.signal(alive.map(({ runId }): NewSignal => ({ id: newId(), data: cancelOf(runId), teamId })))
}
