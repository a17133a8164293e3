import { stepName } from '@/components/dag/words'
import type { WorkflowSpec } from '@/spec'
import { durationText } from './duration-text'
import { anyOf, itemsDone, stoppedWords } from './names'
import type { GateView, RunView, StepView } from './types'

/** What a run's page says first: one sentence, then what follows from it. Plain text. */
export type Sentence = { first: string; more: string[] }

/** An instant (ISO 8601) as this person reads it: by itself, and with its preposition. */
type Words = { time: (at: string) => string; when: (at: string) => string }

/** Says in people's words what a run is doing, what it waits for, or how it ended and what to do about it. */
export function runSentence(run: RunView, spec: WorkflowSpec | null, words: Words): Sentence {
  if (run.stopping) return { first: 'Being stopped.', more: ['What is under way may finish; nothing new starts.'] }
  switch (run.status) {
    case 'queued':
      return { first: 'Waiting to start.', more: ['It starts as soon as a worker is free.'] }
    case 'running':
      return running(run, words)
    case 'awaiting_approval':
      return waiting(run, spec, words)
    case 'succeeded':
      return { first: `Done${tookWords(run)}.`, more: gatesOf(run).flatMap(answered) }
    case 'rejected':
      return { first: rejection(run), more: ['The steps behind it did not run.', ...undone(run)] }
    case 'parked':
      return { first: stoppedAt(run), more: [...undone(run), adviceFor(isRecorded(run) ? null : run.errorCode)] }
    case 'cancelled':
      return { first: 'Cancelled.', more: ['What was done before stays as it is.', ...undone(run)] }
  }
}

const gatesOf = (run: RunView): GateView[] => run.gates

function running(run: RunView, words: Words): Sentence {
  const retrying = run.steps.find((step) => step.status === 'queued' && step.attempt > 1 && step.deferred === null)
  if (retrying !== undefined) {
    const of = retrying.maxAttempts === null ? '' : ` of ${retrying.maxAttempts}`
    const when = retrying.notBefore === null ? 'soon' : words.when(retrying.notBefore)
    return { first: `“${stepName(retrying)}” failed and is tried again ${when}.`, more: [`Next is try ${retrying.attempt}${of}.`] }
  }
  const active = run.steps.filter(
    (step) => step.status === 'running' || step.status === 'queued' || (step.items !== null && step.status === 'waiting'),
  )
  const stopped = run.steps.find((step) => step.stopped !== null)
  if (stopped !== undefined && active.every(waitsForItems)) return waitsForStopped(stopped)
  if (active.length === 0) return idle(run, words)
  const atWork = active.filter((step) => step.deferred === null)
  if (atWork.length === 0) return putOff(active, words)
  const started = atWork.filter(({ status }) => status !== 'queued')
  if (started.length === 0) {
    const [next] = atWork
    return { first: next ? `“${stepName(next)}” is next.` : 'Running.', more: ['It starts as soon as a worker is free.'] }
  }
  const names = started.slice(0, 3).map((step) => `“${stepName(step)}”${itemWords(step)}`)
  return { first: `Running ${names.join(', ')}${started.length > 3 ? ` and ${started.length - 3} more` : ''}.`, more: [] }
}

/** Of a map: none of its items is at work itself. */
const waitsForItems = ({ status, items }: StepView) => status === 'waiting' && items?.active === 0

function waitsForStopped(step: StepView): Sentence {
  const others = step.items === null ? [] : [`${itemsDone(step.items)}.`]
  return { first: `“${stepName(step)}” waits: ${stoppedWords(step)}.`, more: [...others, 'It goes on when that run does.'] }
}

/** Nothing is at work because the team has used up its quota. */
function putOff(steps: StepView[], words: Words): Sentence {
  const tomorrow = steps.flatMap(({ deferred }) => (deferred?.reason === 'steps_per_day' ? [deferred.until] : []))[0]
  return tomorrow === undefined
    ? {
        first: 'Waiting for its turn: the team runs as many steps as it may at the same time.',
        more: ['It goes on by itself when one of them ends.'],
      }
    : {
        first: `Waiting until ${words.time(tomorrow)}: the team has used up its steps for today.`,
        more: ['It goes on by itself. Whoever operates this installation can allow the team more.'],
      }
}

/** Nothing is at work: the run waits for time. */
function idle(run: RunView, words: Words): Sentence {
  const waits = run.steps.flatMap(({ kind, status, notBefore }) => (kind === 'wait' && status === 'waiting' ? (notBefore ?? []) : []))
  const next = waits.sort((a, b) => Date.parse(a) - Date.parse(b))[0]
  return next === undefined
    ? { first: 'Running.', more: [] }
    : { first: `Waiting until ${words.time(next)}.`, more: ['It goes on by itself.'] }
}

function itemWords(step: StepView): string {
  return step.items === null ? '' : ` (${itemsDone(step.items)})`
}

function waiting(run: RunView, spec: WorkflowSpec | null, words: Words): Sentence {
  const [gate, ...others] = gatesOf(run).filter(({ status }) => status === 'open')
  if (gate === undefined) {
    const asking = run.steps.find(({ status, child }) => status === 'waiting' && child?.status === 'awaiting_approval')
    const each = run.steps.find(({ status, items }) => status === 'waiting' && items !== null)
    if (asking) return { first: `Waiting for approval in the run that “${stepName(asking)}” started.`, more: [] }
    return { first: each ? `Waiting for approval in runs that “${stepName(each)}” started.` : 'Waiting for approval.', more: [] }
  }
  const people = gate.waitingFor
  const who = people === undefined || people.length === 0 ? `somebody with the role “${gate.role}”` : anyOf(people)
  const more = [`${followed(spec, gate) ? 'Goes on without an answer' : 'Rejects itself'} ${words.when(gate.expiresAt)}.`]
  if (gate.nobodyLeft != null) more.unshift(gate.nobodyLeft)
  if (gate.approvals > 1) more.unshift(`${gate.decided} of ${gate.approvals} have approved.`)
  if (others.length > 0) more.push(`${others.length} more ${others.length === 1 ? 'approval is' : 'approvals are'} open, see below.`)
  return { first: `Waiting for ${who} to approve “${gate.title}”.`, more }
}

const followed = (spec: WorkflowSpec | null, gate: GateView) =>
  spec?.steps.some((step) => step.after.includes(`${gate.stepId}.expired`)) ?? false

function tookWords(run: RunView): string {
  if (run.finishedAt === null) return ''
  return ` in ${durationText(Date.parse(run.finishedAt) - Date.parse(run.startedAt ?? run.createdAt))}`
}

/** How a gate ended, where one may know who decided. */
function answered(gate: GateView): string[] {
  if (gate.status === 'expired') return [`Nobody answered “${gate.title}” in time.`]
  return (gate.decisions ?? []).map(({ by, decision }) => `${by.name} ${decision === 'approve' ? 'approved' : 'rejected'} “${gate.title}”.`)
}

function rejection(run: RunView): string {
  const gate = gatesOf(run).find(({ status }) => status === 'rejected' || status === 'expired')
  if (gate === undefined) return 'Rejected.'
  if (gate.status === 'expired') return `Rejected: nobody answered “${gate.title}” in time.`
  const no = gate.decisions?.find(({ decision }) => decision === 'reject')
  return no === undefined ? `Rejected at “${gate.title}”.` : `Rejected: ${no.by.name} turned down “${gate.title}”.`
}

/** Nobody knew what became of a call, and somebody has said it since. */
const isRecorded = (run: RunView) => run.errorCode === 'outcome_unknown' && run.unknown.length === 0

function stoppedAt(run: RunView): string {
  const step = run.steps.find(({ id }) => id === run.errorStep)
  const where = step === undefined ? 'Stopped' : `Stopped at “${stepName(step)}”`
  if (isRecorded(run))
    return `${where}. What became of it was recorded: ${step?.status === 'failed' ? 'it did not happen' : 'it happened'}.`
  const why = 'errorMessage' in run ? run.errorMessage : run.errorCode
  return why === null ? `${where}.` : `${where}: ${why}${/[.!?]$/.test(why) ? '' : '.'}`
}

function undone(run: RunView): string[] {
  const names = (status: string) =>
    run.steps
      .filter((step) => step.undo === status || (status === 'succeeded' && step.status === 'compensated'))
      .map((step) => `“${stepName(step)}”`)
  const done = [...new Set(names('succeeded'))]
  const failed = names('failed')
  return [
    ...(done.length > 0 ? [`Undone: ${done.join(', ')}.`] : []),
    ...(failed.length > 0 ? [`Could not be undone: ${failed.join(', ')}.`] : []),
  ]
}

const ADVICE: Record<string, string> = {
  denied: 'An org admin can switch the tool on again. After that, continue from here.',
  unknown_tool: 'Whoever operates this installation has to add the plugin that brings the tool. After that, continue from here.',
  unknown_job: 'Whoever operates this installation has to add the plugin that does this kind of job. After that, continue from here.',
  agent_not_configured: 'Whoever operates this installation has to set up the model that agents ask. After that, continue from here.',
  outcome_unknown:
    'Nobody can know from here whether that call took effect: look on the other side, then an editor of the team can record what happened.',
  no_branch: 'No branch of the decision fits: an editor of the team can add one.',
  predicate_type_mismatch: 'The decision compares things that cannot be compared: an editor of the team can change it.',
  wait_invalid: 'There is no time to wait for, or it lies too far away: an editor of the team can change that step.',
  child_not_started:
    'The workflow that this step starts was not there, or could not be started with that: an editor of the team can change it.',
  child_cancelled: 'Somebody cancelled the run that this step had started.',
  map_over_not_array: 'There is no list to go through: an editor of the team can change that step.',
}

function adviceFor(code: string | null): string {
  const known = code !== null && Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined
  return (
    known ??
    'Once the cause is gone, continue from here. This run keeps its version of the workflow: if that has to change, start a new run after an editor of the team has changed it.'
  )
}
