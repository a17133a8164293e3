import type { Json } from '../json'
import { kindOf, type Step, type StepByKind, type StepKind } from '../kinds'
import type { MapStep } from '../kinds/map'
import { RETRY_DEFAULTS } from '../schema'
import {
  actsAlone,
  agentSettings,
  approveSettings,
  compensateOn,
  mapSettings,
  retryOf,
  timeoutSecondsOf,
  toolOf,
  workflowOf,
} from '../settings'
import type { Effect } from './messages/messages'
import type { Speech } from './speech'

/** What one step does: a clause to stand behind its name, and sentences that say more. */
export interface Told {
  text: string
  details: string[]
  /** What a map does with each item. */
  each?: Told
}

interface Describer<S> {
  /** What it is, in a word or two, for a diagram. */
  short: (step: S, speech: Speech) => string
  tell: (step: S, speech: Speech) => Told
}

type Body = MapStep['do']

const body: Describer<Body> = {
  short: (call, speech) => bodyName(call, speech) ?? speech.messages.kinds.agent,
  tell: tellBody,
}
const named = (kind: 'job' | 'workflow'): Describer<Body> => ({
  short: (call, speech) => speech.messages.kindWith(speech.messages.kinds[kind], bodyName(call, speech) ?? ''),
  tell: tellBody,
})

/** The one registry of describers: a new kind of step does not compile until it has words. */
const DESCRIBERS: { [K in StepKind]: Describer<StepByKind[K]> } = {
  tool: body,
  job: named('job'),
  workflow: named('workflow'),
  agent: body,
  approve: {
    short: (step, { messages }) => messages.kindWith(messages.kinds.approve, step.role),
    tell: (step, speech) => {
      const { messages } = speech
      const { approvals, channels, ttlSeconds } = approveSettings(step)
      const people = approvals > 1 ? speech.number(approvals) : null
      const where = speech.list(
        channels.map((channel) => messages.channels[channel]),
        'disjunction',
      )
      const text = messages.approve(speech.quoted(step.role), people, where, speech.duration(ttlSeconds))
      return { text, details: approveDetails(step, speech) }
    },
  },
  choice: {
    short: (_step, { messages }) => messages.kinds.choice,
    tell: (step, speech) => {
      const asked = [...new Set(step.branches.flatMap(({ when }) => (when === undefined ? [] : [speech.value(when.left)])))]
      const text = asked.length === 0 ? speech.messages.choiceWithoutQuestion : speech.messages.choice(speech.some(asked))
      return { text, details: step.branches.at(-1)?.when === undefined ? [] : [speech.messages.noneHolds] }
    },
  },
  map: {
    short: (step, speech) => speech.messages.kindWith(speech.messages.kinds.map, body.short(step.do, speech)),
    tell: (step, speech) => {
      const { messages } = speech
      const { concurrency, tolerate } = mapSettings(step)
      return {
        text: Array.isArray(step.over)
          ? messages.mapOverCount(speech.number(step.over.length), step.over.length === 1)
          : messages.mapOver(speech.value(step.over)),
        details: [messages.concurrency(speech.number(concurrency)), ...(tolerate > 0 ? [messages.tolerate(speech.number(tolerate))] : [])],
        each: tellBody(step.do, speech),
      }
    },
  },
  wait: {
    short: (_step, { messages }) => messages.kinds.wait,
    tell: ({ seconds, until }, speech) => {
      const { messages } = speech
      if (typeof seconds === 'number') return { text: messages.waitFor(speech.duration(seconds)), details: [] }
      if (until === undefined) return { text: messages.waitSeconds(speech.value(seconds ?? null)), details: [] }
      const literal = typeof until === 'string' && !until.startsWith('${')
      return { text: literal ? messages.waitUntilInstant(speech.instant(until)) : messages.waitUntil(speech.value(until)), details: [] }
    },
  },
}

/** What a step does. */
export function tell(step: Step, speech: Speech): Told {
  return describerOf(step).tell(step, speech)
}

/** What a step is, in a word or two: a tool by its title, a decision, an approval with its role. */
export function shortWords(step: Step, speech: Speech): string {
  return describerOf(step).short(step, speech)
}

const describerOf = (step: Step) => DESCRIBERS[kindOf(step)] as unknown as Describer<Step>

/** What a step does to the world: a call's tool by what is known of it, other kinds by what they may do at most; null: nobody knows. */
export function effectOf(step: Step, speech: Speech): Effect | null {
  switch (kindOf(step)) {
    case 'approve':
    case 'choice':
    case 'wait':
      return 'read'
    default:
      return bodyEffect('do' in step ? step.do : (step as Body), speech)
  }
}

function bodyEffect(call: Body, speech: Speech): Effect | null {
  if (call.uses === 'agent') return actsAlone(call) ? null : 'read'
  return isWorkflow(call) ? null : (speech.effect(call.uses.startsWith('tool:') ? 'tools' : 'jobs', toolOf(call)) ?? null)
}

function bodyName(call: Body, speech: Speech): string | null {
  if (call.uses === 'agent') return null
  if (isWorkflow(call)) return speech.titleOf('workflows', workflowOf(call).slug)
  return speech.titleOf(call.uses.startsWith('tool:') ? 'tools' : 'jobs', toolOf(call))
}

const isWorkflow = (call: Body): call is Extract<Body, { uses: `workflow:${string}` }> => call.uses.startsWith('workflow:')

function tellBody(call: Body, speech: Speech): Told {
  const { messages } = speech
  if (call.uses === 'agent') return tellAgent(call, speech)
  const details = 'with' in call && Object.keys(call.with ?? {}).length > 0 ? [messages.given(speech.named(call.with ?? {}))] : []
  if (isWorkflow(call)) {
    const { slug, version } = workflowOf(call)
    const text = messages.workflow(speech.quoted(speech.titleOf('workflows', slug)), version === null ? null : String(version))
    return { text, details: [...details, ...undoDetails(call, speech)] }
  }
  const isTool = call.uses.startsWith('tool:')
  const effect = speech.effect(isTool ? 'tools' : 'jobs', toolOf(call))
  if (effect === null) details.push(messages.unknownTool)
  else if (effect !== undefined) details.push(messages.effects[effect])
  const text = isTool ? messages.tool(speech.tool(toolOf(call))) : messages.job(speech.quoted(speech.titleOf('jobs', toolOf(call))))
  return { text, details: [...details, ...attemptDetails(call, effect, speech), ...undoDetails(call, speech)] }
}

function tellAgent(call: Extract<Body, { uses: 'agent' }>, speech: Speech): Told {
  const { messages } = speech
  const { tools, unattended, output } = agentSettings(call)
  const details: string[] = []
  if (call.context !== undefined) details.push(messages.agentContext(speech.value(call.context)))
  if (tools.length === 0) details.push(messages.agentNoTools)
  else
    details.push(
      messages.agentTools(speech.some(tools.map((name) => speech.tool(name)))),
      messages[unattended ? 'agentUnattended' : 'agentReadsOnly'],
    )
  if (output !== null) details.push(messages.agentAnswers(fieldNames(output, speech)))
  return {
    text: messages.agent(speech.value(call.goal)),
    details: [...details, ...attemptDetails(call, undefined, speech), ...undoDetails(call, speech)],
  }
}

/** What is tried again, and for how long, where it is not as usual. */
function attemptDetails(call: Exclude<Body, { uses: `workflow:${string}` }>, effect: Effect | null | undefined, speech: Speech): string[] {
  const { messages } = speech
  const { maxAttempts } = retryOf(call)
  const details: string[] = []
  if (effect === 'once') details.push(messages.onceNoRetry)
  else if (maxAttempts === 1) details.push(messages.noRetry)
  else if (maxAttempts !== RETRY_DEFAULTS.max_attempts) details.push(messages.retries(speech.number(maxAttempts)))
  if (call.timeout_seconds !== undefined) details.push(messages.timeLimit(speech.duration(timeoutSecondsOf(call))))
  return details
}

function undoDetails({ compensate }: Body, speech: Speech): string[] {
  if (compensate === undefined) return []
  const { messages } = speech
  const tool = speech.tool(toolOf(compensate))
  const endings = compensateOn(speech.spec).map((ending) => messages.endings[ending])
  return [endings.length === 0 ? messages.undoNever(tool) : messages.undo(tool, speech.list(endings, 'disjunction'))]
}

function approveDetails(step: StepByKind['approve'], speech: Speech): string[] {
  const { messages } = speech
  const { channels, selfApproval, requireSignIn, remindAfterSeconds } = approveSettings(step)
  const shown: Record<string, Json> = step.show ?? {}
  const details: string[] = []
  if (step.message !== undefined) details.push(messages.reads(speech.value(step.message)))
  if (Object.keys(shown).length > 0) details.push(messages.sees(speech.named(shown)))
  if (Object.keys(step.form ?? {}).length > 0) details.push(messages.fills(fieldNames(step.form ?? {}, speech)))
  details.push(messages[selfApproval ? 'selfApproval' : 'noSelfApproval'])
  if (requireSignIn) details.push(messages.signIn)
  else if (channels.includes('email')) details.push(messages.mailedLink)
  if (remindAfterSeconds !== null) details.push(messages.reminder(speech.duration(remindAfterSeconds)))
  return details
}

const fieldNames = (fields: NonNullable<StepByKind['approve']['form']>, speech: Speech) =>
  speech.some(Object.entries(fields).map(([name, field]) => speech.field(name, field)))
