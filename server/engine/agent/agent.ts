import { agentSettings } from '@/spec'
import type { HandlerOutcome } from '../attempt'
import { agentOf } from '../call'
import { fatal, keepingKey } from '../failure'
import type { StepRef } from '../model'
import type { ModelReply, Tool, Turn } from '../ports'
import type { Context } from '../record'
import { storable } from '../result'
import { answerOf } from './answer'
import { Ends, type AgentAttempt, type Conversation } from './conversation'
import { replyOf } from './reply'
import { callTool, CALLS_MAX } from './tool-call'

/**
 * One attempt of an agent: the model is asked, what it asks for is called, and so on until it answers. Each reply is recorded before its calls
 * are made, each call before its handler runs; an attempt begins with what is recorded, so that no reply is asked for twice and no call made twice
 * while the agent's key stays the same. Never throws, except where the store fails.
 */
export async function runAgent(context: Context, attempt: AgentAttempt): Promise<HandlerOutcome> {
  const { claimed, call } = attempt
  const { run, row } = claimed
  const settings = agentSettings(agentOf(context.plans.of(run.definition), row.stepId))
  const tools = new Map(settings.tools.map((name) => [name, context.ports.tools.find(name)]))
  for (const [name, tool] of tools)
    if (!tool) return { kind: 'failure', failure: keepingKey(fatal('unknown_tool', `unknown tool '${name}'`, true)) }
  const rows = await context.ports.store.conversation(run.id, { stepId: row.stepId, item: row.item, epoch: row.keyEpoch })
  try {
    return await converse({
      ...attempt,
      context,
      settings,
      tools: tools as Map<string, Tool>,
      recorded: new Map(rows.map((one) => [one.call, one])),
      until: context.ports.clock.now().getTime() + call.timeoutMs,
    })
  } catch (thrown) {
    if (thrown instanceof Ends) return { kind: 'failure', failure: thrown.failure }
    throw thrown
  }
}

async function converse(on: Conversation): Promise<HandlerOutcome> {
  const { maxTurns, output } = on.settings
  const turns: Turn[] = []
  for (let turn = 1; turn <= maxTurns; turn++) {
    const reply = await replyOf(on, turn, turns)
    if (reply.calls.length > 0) {
      turns.push({ reply, results: await callAll(on, turn, reply), complaint: null })
      continue
    }
    const answer = answerOf(output, reply)
    if (answer.ok) return { kind: 'result', result: storable({ output: answer.value }) }
    turns.push({ reply, results: [], complaint: answer.complaint })
  }
  const complaint = turns.at(-1)?.complaint
  const message = `The agent used its ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'} without an answer.`
  return {
    kind: 'failure',
    failure: complaint ? fatal('agent_output_invalid', `${message} The last: ${complaint}`) : fatal('agent_turns_exhausted', message),
  }
}

/** All that a reply asks for, at the same time. When one of them must end the attempt, the others end first. */
async function callAll(on: Conversation, turn: number, reply: ModelReply) {
  const ended = await Promise.allSettled(
    reply.calls.slice(0, CALLS_MAX).map((asked, index) => callTool(on, `t${turn}.${index + 1}` as StepRef['call'], asked)),
  )
  const failed = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const unknown = failed.find((one) => one instanceof Ends && one.failure.error.code === 'outcome_unknown')
  if (failed.length > 0) throw unknown ?? failed[0]
  const results = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const tooMany = { ok: false as const, code: 'denied', message: `Not called: at most ${CALLS_MAX} calls are made for one reply.` }
  return [...results, ...reply.calls.slice(CALLS_MAX).map(() => tooMany)]
}
