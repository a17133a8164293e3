import { calleeOf, callOf, jobFor } from './call'
import { hearChild, isGivenUp } from './children'
import { drive, type Logged } from './driver'
import { ambiguous } from './failure'
import { expireGate } from './gates'
import type { EngineEvent, Plan, StepRef } from './model'
import type { NewJob, RunTx, StepRow } from './ports'
import { endAttempt, logAll, refOf, type Context } from './record'
import { cancelChildren } from './signals'
import { fireTimer } from './timers'

const BATCH = 100

export type Swept = {
  /** Gates that ran out, and timers that fired. */
  expired: number
  fired: number
  revived: number
  /** When the next open gate or set timer is due; null where there is none. */
  nextDue: Date | null
}

/**
 * What time and crashes leave to do: gates past their deadline expire, timers past theirs fire, runs that should move but have no live job move again, and
 * steps that a quota put off are called where it has room. Safe to run
 * at any time and by several processes; one that fails on a run logs it and goes on with the others.
 */
export async function sweep(context: Context): Promise<Swept> {
  const swept = { ...(await sweepDue(context)), revived: await sweepRuns(context) }
  for (const teamId of await context.ports.store.deferredTeams()) await readmit(context, teamId)
  return swept
}

/** What a quota put off, where it was raised since, or where who should have called it was lost. */
async function readmit(context: Context, teamId: string): Promise<void> {
  await attempted(context, async () => {
    await context.ports.store.readmit(teamId)
    return true
  })
}

/** Only what is due by the clock: two short reads where nothing is. */
export async function sweepDue(context: Context): Promise<Omit<Swept, 'revived'>> {
  const { store } = context.ports
  const gates = await settleDue(
    context,
    () => store.dueGates(BATCH),
    (gate) => expireGate(context, gate),
  )
  const timers = await settleDue(
    context,
    () => store.dueTimers(BATCH),
    (timer) => fireTimer(context, timer),
  )
  return { expired: gates.settled, fired: timers.settled, nextDue: earlier(gates.next, timers.next) }
}

type Due<T> = { due: T[]; next: Date | null }

async function settleDue<T>(
  context: Context,
  list: () => Promise<Due<T>>,
  settle: (one: T) => Promise<boolean>,
): Promise<{ settled: number; next: Date | null }> {
  let all = 0
  for (;;) {
    const { due, next } = await list()
    let settled = 0
    for (const one of due) if (await attempted(context, () => settle(one))) settled++
    all += settled
    if (due.length < BATCH || settled === 0) return { settled: all, next }
  }
}

const earlier = (a: Date | null, b: Date | null) => (a === null || (b !== null && b < a) ? b : a)

async function sweepRuns(context: Context): Promise<number> {
  let revived = 0
  let after: string | null = null
  for (;;) {
    const runIds: string[] = await context.ports.store.stalledRuns(BATCH, after)
    for (const runId of runIds) if (await attempted(context, () => revive(context, runId))) revived++
    after = runIds.at(-1) ?? null
    if (runIds.length < BATCH) return revived
  }
}

/**
 * Moves a run on that has lost its jobs. Rows on a worker that is gone end as lost; rows that only waited get a new job; children are heard,
 * and told to stop where that is due.
 */
async function revive(context: Context, runId: string): Promise<boolean> {
  let stale: StepRef[] = []
  const logged = await context.ports.store.transact(runId, async (tx): Promise<Logged[]> => {
    const plan = context.plans.of(tx.run.definition)
    const newId = context.ports.newId
    if (tx.run.state.status === 'queued') return drive({ tx, plan, newId }, [{ type: 'started' }])
    const out: Logged[] = []
    const events: EngineEvent[] = []
    const jobs: NewJob[] = []
    for (const row of await tx.lostRows()) {
      if (row.status === 'queued') {
        jobs.push(jobFor({ run: tx.run, plan, newId }, row))
        continue
      }
      const step = await endLost(context, tx, plan, row)
      out.push(...step.logged)
      if (step.event) events.push(step.event)
    }
    if (jobs.length > 0) await tx.enqueue(jobs)
    stale = (await tx.children()).flatMap(({ ref, was, face }) => (was === face ? [] : [ref]))
    if (isGivenUp(tx.run.state)) await cancelChildren(tx, newId)
    return [...out, ...(await drive({ tx, plan, newId }, [...events, { type: 'swept' }]))]
  })
  if (logged) logAll(context.ports, logged)
  for (const ref of stale) await hearChild(context, runId, ref)
  return logged !== null
}

async function endLost(context: Context, tx: RunTx, plan: Plan, row: StepRow) {
  const undoes = row.call === 'undo' ? await tx.row({ ...refOf(row), call: '' }) : null
  const effect = calleeOf(context.ports, callOf(plan, row, undoes))?.effect ?? 'write'
  const failure = ambiguous('worker_lost', 'The worker was lost while this ran.')
  return endAttempt(context, tx, plan, { row, undoes, jobId: row.jobId ?? '', effect, outcome: { kind: 'failure', failure } })
}

async function attempted(context: Context, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    context.ports.log.error('the sweep could not move a run', error)
    return false
  }
}
