import { hideSecrets, type Json } from '@/spec'
import { runAgent } from './agent/agent'
import { runHandler, type Attempts, type Outcome } from './attempt'
import { calleeOf, callOf, idempotencyKey, resolveCall, type Call } from './call'
import { check } from './check'
import { hear, prepareChild, setOff } from './children'
import { ambiguous, fatal, type Failure } from './failure'
import type { Claimed, Job, Tool } from './ports'
import { onlyDrains, record, refOf, type Context } from './record'
import { inputFor } from './secrets'
import { isSignal } from './signals'

/**
 * Does one job: claims its row, runs the call, records the end and advances the run. Returns when the job is done with, also when the row was
 * not its own any more; the caller then completes it. Throws only where the store fails: then the job is left to be delivered again.
 */
export async function perform(context: Context, attempts: Attempts, job: Job): Promise<void> {
  if (isSignal(job.data)) return hear(context, attempts, job.data)
  const claimed = await context.ports.store.claim(job)
  if (!claimed) return
  const { run, row, undoes } = claimed
  const call = callOf(context.plans.of(run.definition), row, undoes)
  const tool = calleeOf(context.ports, call)
  const effect = tool?.effect ?? 'write'
  const lost = lostAttempt(claimed, call, effect)
  const from = context.ports.clock.now().getTime()
  const outcome: Outcome = lost ? { kind: 'failure', failure: lost } : await attempt(context, attempts, claimed, call, tool, job.id)
  const durationMs = context.ports.clock.now().getTime() - from
  await record(context, run.id, { row, undoes, jobId: job.id, effect, outcome, durationMs, lost: lost !== undefined })
  if (claimed.limited) await callNext(context, run.principal.teamId)
  // Were this process to end here, the sweep would find the child waiting to start.
  if (outcome.kind === 'child') await setOff(context, outcome.child.run.id)
}

/** A place is free. Were nobody called now, those who wait would look by themselves after a while. */
async function callNext({ ports }: Context, teamId: string): Promise<void> {
  try {
    await ports.store.readmit(teamId)
  } catch (error) {
    ports.log.error('steps that wait for their quota could not be called', error)
  }
}

/** Why a row that was taken over is not simply run again: nobody knows how far its former owner got. */
function lostAttempt({ run, row, takenOver }: Claimed, call: Call, effect: Tool['effect']): Failure | undefined {
  if (!takenOver) return undefined
  const again = effect !== 'once' && !onlyDrains(run.state, row) && row.attempt <= call.retry.maxAttempts
  return again ? undefined : ambiguous('worker_lost', 'The worker was lost while this ran.')
}

async function attempt(
  context: Context,
  attempts: Attempts,
  claimed: Claimed,
  call: Call,
  tool: Tool | null,
  jobId: string,
): Promise<Outcome> {
  const { ports } = context
  const { run, row, undoes } = claimed
  ports.log.event('step_start', {
    run_id: run.id,
    step_id: row.stepId,
    item: row.item,
    call: row.call,
    attempt: row.attempt,
    [call.kind]: call.name,
  })
  if (call.kind === 'workflow') return prepareChild(context, claimed, call)
  if (call.kind === 'agent') {
    const prepared = await prepare(context, claimed, call, AGENT)
    if ('failure' in prepared) return { kind: 'failure', failure: prepared.failure }
    return attempts.within(run.id, (controller) => runAgent(context, { claimed, call, jobId, given: prepared.input, controller }))
  }
  if (!tool) return { kind: 'failure', failure: fatal(`unknown_${call.kind}`, `unknown ${call.kind} '${call.name}'`, true) }
  const prepared = await prepare(context, claimed, call, tool)
  if ('failure' in prepared) return { kind: 'failure', failure: prepared.failure }
  const about = {
    runId: run.id,
    stepId: row.stepId,
    item: row.item,
    attempt: row.attempt,
    idempotencyKey: idempotencyKey(run.id, { ...row, keyEpoch: (undoes ?? row).keyEpoch }),
    principal: run.principal,
  }
  return attempts.within(run.id, (controller) =>
    runHandler(ports.clock, tool, about, prepared.input, { timeoutMs: call.timeoutMs, controller }),
  )
}

/** An agent by itself only asks: what its calls do is theirs. It is admitted under this name. */
const AGENT: Tool = {
  name: 'agent',
  effect: 'read',
  check: () => [],
  dropNulls: (input) => input,
  run: () => Promise.reject(new Error('an agent is not a tool')),
}

/** Everything before the handler: nothing has happened yet, so a failure of the platform here uses no attempt. */
async function prepare(context: Context, claimed: Claimed, call: Call, tool: Tool): Promise<{ input: Json } | { failure: Failure }> {
  const { ports } = context
  const { run, row } = claimed
  try {
    const undo = row.call === 'undo'
    const asked = {
      runId: run.id,
      stepId: row.stepId,
      item: row.item,
      tool: call.kind === 'job' ? `job:${tool.name}` : tool.name,
      effect: tool.effect,
      principal: run.principal,
      undo,
    }
    const admitted = await ports.access.admit(asked)
    if (!admitted.ok) return { failure: fatal(admitted.code, admitted.message, true) }
    const opened = await inputFor(ports, { plan: context.plans.of(run.definition), run, call, tool })
    if ('failure' in opened) return opened
    const checked = check(
      call.kind,
      tool,
      await resolveCall(call, claimed, opened.input, (stepIds) => ports.store.outputs(run.id, stepIds)),
    )
    if ('failure' in checked) return checked
    const shown = hideSecrets(tool.secrets ?? null, checked.input)
    await ports.store.recordInput(run.id, refOf(row), row.attempt, shown, tool.plugin ?? null)
    return checked
  } catch (error) {
    ports.log.error('a call could not be prepared', error)
    return { failure: { kind: 'not_performed', error: { code: 'platform_error', message: 'The platform could not start this call.' } } }
  }
}
