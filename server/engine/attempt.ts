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

/** How long a handler may go on after it was told that its run was cancelled. */
const STOP_WITHIN_MS = 30_000

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
 * One attempt of a handler, timed from its start. A handler that ignores its signal is left behind at the time limit, or 30 s after it was told that
 * its run was cancelled: whatever it does later is dropped. Never throws.
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
  const late = clock.sleep(timeoutMs, ended.signal).then(() => 'timeout' as const)
  const told = toldToStop(controller.signal, ended.signal).then(() => clock.sleep(STOP_WITHIN_MS, ended.signal))
  const first = await Promise.race([handled, late, told.then(() => 'aborted' as const)])
  ended.abort()
  if (typeof first !== 'string') return first
  controller.abort(new Error('The attempt took too long.'))
  const message =
    first === 'timeout'
      ? `The attempt took longer than ${timeoutMs / 1000} s.`
      : `The run was cancelled, and this had not stopped ${STOP_WITHIN_MS / 1000} s later.`
  return { kind: 'failure', failure: ambiguous(first, message) }
}

/** Resolves when `signal` aborts; never, where `ended` comes first. */
function toldToStop(signal: AbortSignal, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true, signal: ended })
  })
}

/** What a handler throws after it was told to stop says nothing about the effect, unless it says so itself. */
function thrownBy(signal: AbortSignal, thrown: unknown, scrub: Scrub): Failure {
  const failure = classify(thrown, scrub)
  return signal.aborted && failure.kind === 'fatal' && !failure.deliberate ? ambiguous('aborted', failure.error.message) : failure
}
