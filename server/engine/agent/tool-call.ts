import { hideSecrets, retryOf, timeoutSecondsOf, type Json } from '@/spec'
import { runHandler, type HandlerOutcome } from '../attempt'
import { idempotencyKey } from '../call'
import { ambiguous, fatal, keepingKey, type Failure } from '../failure'
import type { EngineError, StepRef } from '../model'
import { check } from '../check'
import type { AttemptEnd, CallAnswer, ModelReply, StepRow, Tool } from '../ports'
import { judge } from '../retry'
import { asAnswer, assertGoesOn, conversationRef, Ends, withRun, type Conversation } from './conversation'

/** A model that asks for more at once is not taken at its word. */
export const CALLS_MAX = 50

const RETRY = retryOf({})
const TIMEOUT_MS = timeoutSecondsOf({}) * 1000

/**
 * One call that the model asked for, as a tool step makes it: the same chain before it, the same retries under one key, recorded before and after.
 * Whatever it comes to is an answer to the model, except an outcome that nobody knows.
 */
export async function callTool(on: Conversation, name: StepRef['call'], asked: ModelReply['calls'][number]): Promise<CallAnswer> {
  const ref = conversationRef(on, name)
  const before = on.recorded.get(name)
  if (before?.status === 'succeeded') return { ok: true, output: before.output ?? null }
  if (before?.status === 'failed' && before.error?.code !== 'outcome_unknown') return asAnswer(before.error ?? UNSAID)
  const refused = refusalOf(on, asked.tool)
  if (refused) return tell(on, ref, asked.input, refused)
  const tool = on.tools.get(asked.tool) as Tool
  if (before?.status === 'running' && tool.effect === 'once') {
    const lost = verdictOf(on, tool, ambiguous('worker_lost', 'The worker was lost while this ran.'), before, before.attempt)
    if (lost.kind === 'failed') return tell(on, ref, asked.input, lost.error)
  }
  return makeCall(on, ref, tool, asked.input, before)
}

const UNSAID: EngineError = { code: 'failed', message: 'The call failed.' }

/** Why the model may not call this at all. */
function refusalOf(on: Conversation, name: string): EngineError | undefined {
  const tool = on.tools.get(name)
  if (!tool) return { code: 'denied', message: `There is no tool '${name}' for you to call.` }
  if (on.settings.unattended || tool.effect === 'read') return undefined
  return { code: 'denied', message: `'${name}' changes something, and without a person you may only call tools that read.` }
}

async function makeCall(on: Conversation, ref: StepRef, tool: Tool, given: Json, before: StepRow | undefined): Promise<CallAnswer> {
  const checked = check('tool', tool, given)
  if ('failure' in checked) return tell(on, ref, given, checked.failure.error)
  const { input } = checked
  for (let attempt = before ? before.attempt + 1 : 1; ;) {
    const denied = await admit(on, tool)
    if (denied) return tell(on, ref, input, denied)
    const shown = hideSecrets(tool.secrets ?? null, input)
    await assertGoesOn(on, (tx) => tx.startCall(ref, { attempt, jobId: on.jobId, input: shown, plugin: tool.plugin ?? null }))
    const outcome = await run(on, ref, tool, input, attempt)
    if (outcome.kind === 'result') {
      const { output } = outcome.result
      await end(on, ref, attempt, { kind: 'succeeded', seq: null, result: outcome.result, undoable: false })
      return { ok: true, output }
    }
    const verdict = verdictOf(on, tool, outcome.failure, before, attempt)
    if (verdict.kind === 'failed') {
      await end(on, ref, attempt, { kind: 'failed', error: verdict.error, ambiguous: verdict.ambiguous })
      return answered(verdict.error)
    }
    await end(on, ref, attempt, { kind: 'interrupted', ambiguous: verdict.ambiguous })
    if (verdict.kind === 'interrupted') throw new Ends(outcome.failure)
    await pause(on, verdict.delayMs)
    attempt = verdict.attempt
  }
}

async function admit(on: Conversation, tool: Tool): Promise<EngineError | undefined> {
  const { run, row } = on.claimed
  const { ports } = on.context
  const asked = {
    runId: run.id,
    stepId: row.stepId,
    item: row.item,
    tool: tool.name,
    effect: tool.effect,
    principal: run.principal,
    undo: false,
  }
  try {
    const admitted = await ports.access.admit(asked)
    return admitted.ok ? undefined : { code: admitted.code, message: admitted.message }
  } catch (error) {
    ports.log.error('a call of an agent could not be prepared', error)
    throw new Ends({ kind: 'not_performed', error: { code: 'platform_error', message: 'The platform could not start a call.' } })
  }
}

/** The handler has a signal of its own: its time limit ends it alone, a cancelled run tells all. */
async function run(on: Conversation, ref: StepRef, tool: Tool, input: Json, attempt: number): Promise<HandlerOutcome> {
  const { claimed, context, controller } = on
  const { clock, log } = context.ports
  const own = new AbortController()
  const told = new AbortController()
  controller.signal.addEventListener('abort', () => own.abort(controller.signal.reason), { signal: told.signal })
  const { id: runId, principal } = claimed.run
  const fields = { run_id: runId, step_id: ref.stepId, item: ref.item, call: ref.call, attempt }
  log.event('step_start', { ...fields, tool: tool.name })
  const from = clock.now().getTime()
  const about = {
    runId,
    stepId: ref.stepId,
    item: ref.item,
    attempt,
    idempotencyKey: idempotencyKey(runId, { ...ref, keyEpoch: ref.epoch }),
    principal,
  }
  const outcome = await runHandler(clock, tool, about, input, { timeoutMs: Math.min(TIMEOUT_MS, on.until - from), controller: own })
  told.abort()
  const code = outcome.kind === 'failure' ? outcome.failure.error.code : null
  log.event('step_complete', { ...fields, code, end: outcome.kind, duration_ms: clock.now().getTime() - from })
  return outcome
}

function verdictOf(on: Conversation, tool: Tool, failure: Failure, before: StepRow | undefined, attempt: number) {
  const { clock, random } = on.context.ports
  return judge(failure, {
    attempt,
    retry: RETRY,
    effect: tool.effect,
    stopping: on.controller.signal.aborted,
    startedAt: before?.startedAt ?? null,
    now: clock.now(),
    random: random(),
  })
}

async function pause(on: Conversation, ms: number): Promise<void> {
  const { clock } = on.context.ports
  const left = on.until - clock.now().getTime()
  if (left > 0) await clock.sleep(Math.min(ms, left), on.controller.signal)
}

/** Recorded also when the agent has lost its row meanwhile: what happened, happened. The call's own row says whether this attempt still is it. */
async function end(on: Conversation, ref: StepRef, attempt: number, how: AttemptEnd): Promise<void> {
  await on.context.ports.store.transact(on.claimed.run.id, (tx) => tx.endAttempt(ref, attempt, on.jobId, how))
}

/** A call that was never made. */
async function tell(on: Conversation, ref: StepRef, input: Json, error: EngineError): Promise<CallAnswer> {
  await withRun(on, (tx) => tx.settleStep(ref, 'failed', { error, input }))
  return answered(error)
}

function answered(error: EngineError): CallAnswer {
  if (error.code === 'outcome_unknown') throw new Ends(keepingKey(fatal(error.code, error.message, true)))
  return asAnswer(error)
}
