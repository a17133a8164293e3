import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '@/db/client'
import type { Job, RunRecord, RunTx, Store } from '@/server/engine/ports'
import type { Executor, StepJobs } from '@/server/queue/pg-boss'
import { backToLost, claim, endAttempt, recordInput } from './attempts'
import { keepDeadlines, laidOutMaps, pendingItems, recordOutcome, reopen, reopenMap } from './again'
import { childOf, children, endChild, insertChild, noteChild } from './children'
import { conversation, holds, startCall } from './conversations'
import { Definitions, findDefinition } from './definitions'
import { decisions, dueGates, gate, holdsRole, insertDecision, openGate, settleGate } from './gates'
import { collectMap, openMap } from './maps'
import { insertRun, lockRun, saveRun, stalledRuns } from './runs'
import { enqueue, lostRows, nextUndo, outputs, recall, row, settleStep } from './steps'
import { gathered } from './gathered'
import { patiently } from './passing'
import { admit, deferredTeams, readmit } from './quotas'
import { dueTimers, fireTimer, setTimer, timer } from './timers'

/** The pause before a row is asked for again that a transition was writing. */
const BUSY_MS = 20

/**
 * Runs on PostgreSQL. `patienceMs`: how long a transition waits for a database that is away (a restart) before it fails; a worker
 * holds results of calls that must not be made again, so it waits, while a page had better say so at once. `away` is told of each failure then.
 */
export function createPostgresStore(db: Db, jobs: StepJobs, patienceMs = 0, away?: (error: unknown) => void): Store {
  const definitions = new Definitions()
  const transaction = <T>(runId: string, work: (tx: RunTx) => Promise<T>) =>
    db.transaction(async (tx) => {
      const locked = await lockRun(tx, definitions, runId)
      return locked ? await work(runTx(tx, jobs, locked.run, locked.now)) : null
    })
  const admitting = gathered((asked: Job[]) => admit(db, jobs, definitions, asked))
  const calling = gathered(async (teamIds: string[]) => {
    for (const teamId of new Set(teamIds)) await readmit(db, jobs, teamId)
    return []
  })
  return {
    insertRun: (run, state, stepsTotal) => insertRun(db, run, state, stepsTotal),
    definition: (defId) => definitions.get(db, defId),
    findDefinition: (teamId, slug, version) => findDefinition(db, teamId, slug, version),
    transact: (runId, work) => patiently(patienceMs, () => transaction(runId, work), away),
    claim: async (job) => {
      const claimed = await claim(db, definitions, job)
      if (claimed !== 'limited') return claimed
      for (;;) {
        const asked = await admitting(job)
        if (asked !== 'busy') return asked
        await sleep(BUSY_MS)
      }
    },
    readmit: (teamId) => calling(teamId),
    deferredTeams: () => deferredTeams(db),
    recordInput: (runId, ref, attempt, input, plugin) => recordInput(db, runId, ref, attempt, input, plugin),
    outputs: (runId, stepIds) => outputs(db, runId, stepIds),
    conversation: (runId, agent) => conversation(db, runId, agent),
    gate: (gateId) => gate(db, gateId),
    dueGates: (limit) => dueGates(db, limit),
    dueTimers: (limit) => dueTimers(db, limit),
    stalledRuns: (limit, after) => stalledRuns(db, limit, after),
  }
}

function runTx(tx: Executor, jobs: StepJobs, run: RunRecord, now: Date): RunTx {
  let version = run.version
  let enqueued = 0
  return {
    run,
    now,
    outputs: (stepIds) => outputs(tx, run.id, stepIds),
    backToLost: (ref, attempt, jobId) => backToLost(tx, run.id, ref, attempt, jobId),
    endAttempt: (ref, attempt, jobId, end) => endAttempt(tx, jobs, run.id, ref, attempt, jobId, end),
    conversation: (agent) => conversation(tx, run.id, agent),
    holds: (ref, attempt, jobId) => holds(tx, run.id, ref, attempt, jobId),
    startCall: (ref, call) => startCall(tx, run.id, ref, call),
    enqueue: async (added) => {
      enqueued += added.length
      await enqueue(tx, jobs, run.id, added)
    },
    settleStep: (ref, status, written) => settleStep(tx, run.id, ref, status, written),
    openMap: (ref, over) => openMap(tx, run.id, ref, over),
    collectMap: (ref, status, error) => collectMap(tx, run.id, ref, status, error),
    reopen: (stepIds, epoch) => reopen(tx, run.id, stepIds, epoch),
    keepDeadlines: (stepIds, epoch) => keepDeadlines(tx, run.id, stepIds, epoch),
    reopenMap: (ref) => reopenMap(tx, run.id, ref),
    pendingItems: (ref, from, limit) => pendingItems(tx, run.id, ref, from, limit),
    laidOutMaps: () => laidOutMaps(tx, run.id),
    recordOutcome: (ref, outcome) => recordOutcome(tx, run.id, ref, outcome),
    openGate: (opened) => openGate(tx, run.id, opened),
    gate: (gateId) => gate(tx, gateId),
    holdsRole: (userId, role) => holdsRole(tx, run.principal.teamId, userId, role),
    insertDecision: (gateId, decision) => insertDecision(tx, gateId, decision),
    decisions: (gateId) => decisions(tx, gateId),
    settleGate: (gateId, status) => settleGate(tx, gateId, status),
    setTimer: (set) => setTimer(tx, run.id, set),
    timer: (stepId, epoch) => timer(tx, run.id, stepId, epoch),
    fireTimer: (stepId, epoch) => fireTimer(tx, run.id, stepId, epoch),
    recall: (stepId) => recall(tx, jobs, run.id, stepId),
    nextUndo: () => nextUndo(tx, run.id),
    row: (ref) => row(tx, run.id, ref),
    lostRows: () => lostRows(tx, run.id),
    insertChild: (child) => insertChild(tx, child),
    childOf: (ref) => childOf(tx, run.id, ref),
    noteChild: (ref, face) => noteChild(tx, run.id, ref, face),
    endChild: (ref, end) => endChild(tx, run.id, ref, end),
    children: () => children(tx, run.id),
    signal: (signals) => jobs.insert(tx, signals),
    save: async (state, finish) => {
      await saveRun(tx, run, version, state, enqueued, finish)
      version += 1
      enqueued = 0
    },
  }
}
