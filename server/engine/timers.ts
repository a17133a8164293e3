import { drive, type Logged } from './driver'
import { logAll, type Context } from './record'
import { stepLogged } from './telemetry'
import { fired } from './wait'

/** Lets a timer fire that is due; false where there is nothing to fire (any more). */
export async function fireTimer(
  context: Context,
  { runId, stepId, epoch }: { runId: string; stepId: string; epoch: number },
): Promise<boolean> {
  const logged = await context.ports.store.transact(runId, async (tx): Promise<Logged[] | null> => {
    const timer = await tx.timer(stepId, epoch)
    if (timer?.status !== 'set' || timer.dueAt > tx.now) return null
    const event = await fired({ tx }, { stepId, epoch }, timer.dueAt)
    const ended = await stepLogged(tx, { stepId, item: -1, call: '', epoch }, { end: 'succeeded' })
    return [ended, ...(await drive({ tx, plan: context.plans.of(tx.run.definition), newId: context.ports.newId }, [event]))]
  })
  if (logged) logAll(context.ports, logged)
  return logged !== null
}
