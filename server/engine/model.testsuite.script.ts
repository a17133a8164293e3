import type { Logged, Scripted } from './model.testsuite.bench'
import type { CallResult } from './model'
import type { ModelReply, ModelRequest, ToolCall } from './ports'

type Pending = { label: string; end: (fate: number) => void }

/** Who looks on while a run is played; whatever they throw ends the play. */
export type Watcher = {
  called?(call: ToolCall): void
  asked?(request: ModelRequest): void
  /** Between any two actions. */
  between?(): Promise<void> | void
}

const error = (name: string, fields: object = {}) => Object.assign(new Error('as drawn'), { name, ...fields })

/** In one order on every store, whatever came first. */
export const byLabel = (a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)

/** Handlers and models that wait until they are told how they end. */
export class Script implements Scripted {
  readonly #pending = new Set<Pending>()
  #failed: unknown
  #logged: Logged[] = []

  constructor(private readonly watcher: Watcher) {}

  /** Who waits for an end, by label. */
  get pending(): Pending[] {
    return [...this.#pending].sort(byLabel)
  }

  /** Ends the play; the first cause counts. */
  fail(cause: unknown): void {
    this.#failed ??= cause
  }

  /** Throws what ended the play, if anything has. */
  check(): void {
    if (this.#failed) throw this.#failed
  }

  /** What was logged since this was asked last, in no order. */
  logged(): string[] {
    return this.#logged.splice(0).map((one) => JSON.stringify(one)).sort() // prettier-ignore
  }

  /** A handler answers or fails. */
  handler(call: ToolCall): Promise<CallResult> {
    this.#watch(() => this.watcher.called?.(call))
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
    const end = (fate: number) => {
      if (fate % 8 < 5) resolve({ output: { n: fate } })
      else if (fate % 8 === 5) reject(error('TransientError'))
      else if (fate % 8 === 6) reject(error('FatalError'))
      else reject(error('RateLimitError', { retryAfter: 5 }))
    }
    this.#add(`${call.idempotencyKey} ${call.attempt}`, end)
    return promise
  }

  /** A model answers, asks for one or two of its tools, or fails. */
  model(request: ModelRequest): Promise<ModelReply> {
    this.#watch(() => this.watcher.asked?.(request))
    const { about, tools, signal } = request
    const { promise, resolve, reject } = Promise.withResolvers<ModelReply>()
    const end = (fate: number) => {
      const calls = tools.slice(0, fate % 3).map(({ name }) => ({ tool: name, input: fate }))
      if (fate % 8 < 6) resolve({ text: 'as drawn', calls: fate % 8 < 2 ? [] : calls, answer: {} })
      else reject(error(fate % 8 === 6 ? 'TransientError' : 'RateLimitError', { retryAfter: 5 }))
    }
    const pending = this.#add(`${about.runId}:${about.stepId}:${about.item} asks ${about.turn}`, end)
    signal.addEventListener('abort', () => this.#pending.delete(pending))
    return promise
  }

  readonly log: Scripted['log'] = {
    // Ids of gates are drawn, and when a run was stored is by another clock.
    event: (name, fields) =>
      this.#logged.push([
        name,
        { ...fields, gate_id: null, ...(name === 'run_finish' || name === 'step_park' ? { duration_ms: null } : {}) },
      ]),
    error: (message, cause) => this.fail(new Error(message, { cause })),
  }

  #add(label: string, end: (fate: number) => void): Pending {
    const pending: Pending = {
      label,
      end: (fate) => {
        this.#pending.delete(pending)
        end(fate)
      },
    }
    this.#pending.add(pending)
    return pending
  }

  #watch(look: () => void): void {
    try {
      look()
    } catch (thrown) {
      this.fail(thrown)
    }
  }
}
