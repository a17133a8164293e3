import { fieldsToJsonSchema, type Json } from '@/spec'
import { ambiguous, classify, fatal, keepingKey } from '../failure'
import type { ModelReply, ModelRequest, Turn } from '../ports'
import { storable } from '../result'
import { assertGoesOn, conversationRef, Ends, tookTooLong, withRun, type Conversation } from './conversation'

/** The model's reply of this turn: the recorded one, or it is asked and what it says recorded. */
export async function replyOf(on: Conversation, turn: number, turns: Turn[]): Promise<ModelReply> {
  const recorded = on.recorded.get(`t${turn}`)
  if (recorded) return recorded.output as unknown as ModelReply
  if (turn > 1) await assertGoesOn(on)
  const reply = await ask(on, turn, turns)
  const kept = storable({ output: reply as unknown as Json })
  if (kept.flag) throw new Ends(keepingKey(fatal('failed', 'The reply of the model is too large, or not JSON.')))
  await withRun(on, async (tx) => tx.settleStep(conversationRef(on, `t${turn}`), 'succeeded', { output: kept.output }))
  return kept.output as unknown as ModelReply
}

async function ask(on: Conversation, turn: number, turns: Turn[]): Promise<ModelReply> {
  const { context, claimed, controller, settings } = on
  const { models } = context.ports
  if (!models) {
    const message = 'No model is configured: set CLEW_AI_BASE_URL and CLEW_AI_MODEL, and CLEW_AI_API_KEY where the server asks for a key.'
    throw new Ends(keepingKey(fatal('agent_not_configured', message)))
  }
  const { goal = null, context: data = null } = on.given as Record<string, Json>
  const { run, row } = claimed
  const request: Omit<ModelRequest, 'signal'> = {
    about: { runId: run.id, stepId: row.stepId, item: row.item, turn },
    goal,
    context: data,
    tools: [...on.tools.values()].map(({ name, description = '', inputSchema = { type: 'object' } }) => ({
      name,
      description,
      inputSchema,
    })),
    answer: settings.output ? fieldsToJsonSchema(settings.output) : null,
    turns,
  }
  const replied = await inTime(on, (signal) => models.reply({ ...request, signal }))
  if (replied.ok) return replied.value
  const failure = classify(replied.thrown)
  if (controller.signal.aborted) throw new Ends(ambiguous('aborted', 'The agent was told to stop.'))
  throw new Ends(keepingKey(failure))
}

/** Waits for the model, but no longer than the attempt may last, and not when the run was cancelled: asking it has no effect that counts. */
async function inTime<T>(
  on: Conversation,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; thrown: unknown }> {
  const { clock } = on.context.ports
  const asking = new AbortController()
  const ended = new AbortController()
  const cancelled = new Promise<void>((resolve) => {
    const { signal } = on.controller
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal })
  })
  const working = (async () => work(asking.signal))().then(
    (value) => ({ ok: true as const, value }),
    (thrown: unknown) => ({ ok: false as const, thrown }),
  )
  const late = clock.sleep(on.until - clock.now().getTime(), ended.signal).then(() => 'late' as const)
  const first = await Promise.race([working, late, cancelled.then(() => 'cancelled' as const)])
  ended.abort()
  if (typeof first !== 'string') return first
  asking.abort(new Error(first === 'late' ? 'The attempt took too long.' : 'The run was cancelled.'))
  throw new Ends(first === 'late' ? tookTooLong(on) : ambiguous('aborted', 'The agent was told to stop.'))
}
