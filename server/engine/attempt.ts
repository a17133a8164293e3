import type { CallResult } from './model'
import { causesOf, type Cause } from './causes'
import { ambiguous, classify, type Failure } from './failure'
import type { ChildStart, Clock, Tool, ToolCall } from './ports'
import { storable } from './result'
import { scrubOf, type Scrub } from './scrub'
import type { Json } from '@/spec'

/** How a handler ended. */
export type HandlerOutcome = { kind: 'result'; result: CallResult } | { kind: 'failure'; failure: Failure; causes?: Cause[] }
export type Outcome = HandlerOutcome | { kind: 'child'; child: ChildStart }

const TIMED_OUT = Symbol('timed out')

/** The attempts this process has under way, so that a cancelled run's handlers can be told. */
export class Attempts {
  readonly #byRun = new Map<string, Set<AbortController>>()

  /** Runs the handler with a signal that `abort` raises. */
  async within<T>(runId: string, work: (controller: AbortController) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const mine = this.#byRun.get(runId) ?? new Set()
    this.#byRun.set(runId, mine.add(controller))
    try {
      return await work(controller)
    } finally {
      mine.delete(controller)
      if (mine.size === 0) this.#byRun.delete(runId)
    }
  }

  abort(runId: string): void {
    for (const controller of this.#byRun.get(runId) ?? []) controller.abort(new Error('The run was cancelled.'))
  }
}

/**
 * One attempt of a handler, timed from its start. A handler that ignores its signal is left behind at the time limit: whatever it does later is
 * dropped. Never throws.
 */
export async function runHandler(
  clock: Clock,
  tool: Tool,
  call: Omit<ToolCall, 'signal' | 'scrub'>,
  input: Json,
  limits: { timeoutMs: number; controller: AbortController },
): Promise<HandlerOutcome> {
  const { timeoutMs, controller } = limits
  const ended = new AbortController()
  const scrub = scrubOf(tool.secrets, input)
  const handled = (async () => tool.run({ ...call, signal: controller.signal, scrub }, input))().then(
    (returned): HandlerOutcome => ({ kind: 'result', result: storable(returned, scrub) }),
    (thrown: unknown): HandlerOutcome => {
      const failure = thrownBy(controller.signal, thrown, scrub)
      return { kind: 'failure', failure, causes: causesOf(thrown, scrub) }
    },
  )
  const timeout = clock.sleep(timeoutMs, ended.signal).then(() => TIMED_OUT)
  const first = await Promise.race([handled, timeout])
  ended.abort()
  if (typeof first !== 'symbol') return first
  controller.abort(new Error('The attempt took too long.'))
  return { kind: 'failure', failure: ambiguous('timeout', `The attempt took longer than ${timeoutMs / 1000} s.`) }
}

/** What a handler throws after it was told to stop says nothing about the effect, unless it says so itself. */
function thrownBy(signal: AbortSignal, thrown: unknown, scrub: Scrub): Failure {
  const failure = classify(thrown, scrub)
  return signal.aborted && failure.kind === 'fatal' && !failure.deliberate ? ambiguous('aborted', failure.error.message) : failure
}
