import type { AgentSettings, Json } from '@/spec'
import type { Call } from '../call'
import { ambiguous, type Failure } from '../failure'
import type { EngineError, StepRef } from '../model'
import type { Claimed, RunTx, StepRow, Tool } from '../ports'
import { onlyDrains, refOf, type Context } from '../record'

/** An agent's attempt: whose, and what it was given. */
export type AgentAttempt = { claimed: Claimed; call: Call; jobId: string; given: Json; controller: AbortController }

/** What every part of a conversation needs to know. */
export type Conversation = AgentAttempt & {
  context: Context
  settings: AgentSettings
  tools: Map<string, Tool>
  /** Replies and calls that are recorded, by their names `t1`, `t1.2`. */
  recorded: Map<string, StepRow>
  /** When the attempt is over, in milliseconds of the clock. */
  until: number
}

/** Where the conversation must end: the attempt fails, or is interrupted, with this. */
export class Ends extends Error {
  constructor(readonly failure: Failure) {
    super(failure.error.message)
  }
}

export const tookTooLong = (on: Conversation) => ambiguous('timeout', `The conversation took longer than ${on.call.timeoutMs / 1000} s.`)

export const conversationRef = ({ claimed: { row } }: Conversation, call: string): StepRef => ({
  stepId: row.stepId,
  item: row.item,
  call: call as StepRef['call'],
  epoch: row.keyEpoch,
})

/** Work in the run's transaction while the agent's row is this attempt's: else it was taken over, and whoever has it now goes on. */
export async function withRun<T>(on: Conversation, work: (tx: RunTx) => Promise<T>): Promise<T> {
  const { run, row } = on.claimed
  const done = await on.context.ports.store.transact(run.id, async (tx) => {
    if (!(await tx.holds(refOf(row), row.attempt, on.jobId)))
      throw new Ends(ambiguous('worker_lost', 'Another worker has taken this over.'))
    return { value: await work(tx) }
  })
  if (!done) throw new Error(`there is no run ${run.id}`)
  return done.value
}

/** Nothing new is asked or called once the time is over, or the run is stopping: then the conversation is kept, and goes on if the run does. */
export async function assertGoesOn(on: Conversation, work?: (tx: RunTx) => Promise<void>): Promise<void> {
  if (on.context.ports.clock.now().getTime() >= on.until) throw new Ends(tookTooLong(on))
  await withRun(on, async (tx) => {
    if (on.controller.signal.aborted || onlyDrains(tx.run.state, on.claimed.row))
      throw new Ends(ambiguous('interrupted', 'The run is stopping.'))
    await work?.(tx)
  })
}

export const asAnswer = ({ code, message }: EngineError) => ({ ok: false as const, code, message })
