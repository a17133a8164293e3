import type { Json } from '@/spec'
import type { Entry, Observed, RunCase } from '@/spec/conformance/reference-runner'
import type { Bench } from './conformance.testsuite.bench'
import type { CallResult } from './model'
import type { Job, ModelReply, ModelRequest, Tool, ToolCall } from './ports'
import { fetchAll } from './testing'

/** One performance of a job; `lost`: its worker died, and what it still does is nobody's. */
type Work = { jobId: string; lost: boolean }
type Held = { work: Work; attempt: number; resolve: (result: CallResult) => void; reject: (thrown: unknown) => void }

type Asked = { resolve: (reply: ModelReply) => void; reject: (thrown: unknown) => void }
type Made = Observed['trace'][number]['calls'][number]

/** The run in which a label stands, and the label in that run. */
type Place = { runId: string; label: string }

/**
 * Handlers and models that wait until the script ends them. A call is known by its run's id and its label in that run, because its run is found
 * from its parent only once that knows of it.
 */
export class Calls {
  readonly #held = new Map<string, Held>()
  /** Handlers that took too long, and may still say something. */
  readonly #late = new Map<string, Held>()
  /** Agents that wait for their model, as `#held`. */
  readonly #asked = new Map<string, Asked>()
  readonly #works = new Map<string, Work>()
  /** What was undone, in its order. */
  readonly undone: Place[] = []
  readonly #calls: Made[] = []
  #atWork = 0
  #stirred = Promise.withResolvers<void>()
  #timePasses = false
  #bench!: Bench

  /** The bench is made with the tools, and comes after them. */
  begin(bench: Bench): void {
    this.#bench = bench
  }

  /** Performs jobs until every one of them waits for its handler, and every handler for the script. */
  async quiet(): Promise<void> {
    for (;;) {
      await this.#calm()
      while (this.#atWork > this.#held.size + this.#asked.size) {
        await this.#stirred.promise
        await this.#calm()
      }
      const jobs = await fetchAll(this.#bench.queue)
      if (jobs.length === 0) return
      for (const job of jobs) void this.#perform(job)
    }
  }

  async #perform(job: Job): Promise<void> {
    const { engine, queue } = this.#bench
    const { runId, stepId, item, call } = job.data
    const work: Work = { jobId: job.id, lost: false }
    this.#works.set(`${runId}:${stepId}${item < 0 ? '' : `:${item}`}${call === '' ? '' : `/${call}`}`, work)
    this.#atWork++
    await engine.perform(job)
    if (work.lost) return
    await queue.complete([job.id])
    this.#atWork--
    this.#stir()
  }

  async #calm(): Promise<void> {
    await turn()
    await this.#bench.calm?.()
  }

  /** A job is done, or its handler waits for the script. */
  #stir(): void {
    this.#stirred.resolve()
    this.#stirred = Promise.withResolvers()
  }

  /** Turns the clock: what takes too long meanwhile is told to stop, and may still say something. */
  async passing(advance: () => void | Promise<void>): Promise<void> {
    this.#timePasses = true
    await advance()
    await turn()
    this.#timePasses = false
  }

  /** The calls that were made since this was asked last. */
  taken(): Made[] {
    return this.#calls.splice(0)
  }

  /** A tool or job as the case declares it. */
  tool(name: string, declared: NonNullable<RunCase['tools']>[string]): Tool {
    const { requires = [], allows_null: nullable = [], compensation } = declared
    const typed = declared.requires !== undefined || declared.allows_null !== undefined
    return {
      name,
      effect: declared.effect,
      secrets: { members: new Map((declared.secret ?? []).map((key) => [key, true as const])), rest: null },
      dropNulls: (input) => (typed && isObject(input) ? withoutNulls(input, [...requires, ...nullable]) : input),
      check: (input) => {
        const given = isObject(input) ? input : {}
        const missing = requires.filter((key) => given[key] === undefined || (given[key] === null && !nullable.includes(key)))
        return missing.map((key) => ({ path: `/${key}`, message: 'required' }))
      },
      run: async (call, input) => {
        const label = this.#called(name, call, input)
        const output = declared.echo ? input : declared.returns
        if (output !== undefined) return { output, ...(compensation ? { compensation } : {}) }
        return this.#hold(label, call)
      },
    }
  }

  #called(tool: string, { idempotencyKey: key, runId, attempt }: ToolCall, input: Json): string {
    this.#calls.push({ key, tool, input, attempt })
    const name = key.replace(/#\d+$/, '')
    const label = name.slice(runId.length + 1)
    if (label.endsWith('/undo') && attempt === 1) this.undone.push({ runId, label: label.slice(0, -'/undo'.length) })
    return name
  }

  async #hold(name: string, { attempt, signal }: ToolCall): Promise<CallResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
    const held: Held = { work: this.#works.get(name) ?? { jobId: '', lost: false }, attempt, resolve, reject }
    this.#held.set(name, held)
    this.#stir()
    // A handler that was told to stop because it took too long ends no job any more; one of a cancelled run still does.
    signal.addEventListener('abort', () => {
      if (!this.#timePasses || this.#held.get(name) !== held) return
      this.#held.delete(name)
      this.#late.set(`${name} ${attempt}`, held)
    })
    return promise
  }

  /** An agent asks its model. */
  ask({ about: { runId, stepId, item }, signal }: ModelRequest): Promise<ModelReply> {
    const name = `${runId}:${stepId}${item < 0 ? '' : `:${item}`}`
    const { promise, resolve, reject } = Promise.withResolvers<ModelReply>()
    this.#asked.set(name, { resolve, reject })
    this.#stir()
    signal.addEventListener('abort', () => this.#asked.delete(name))
    return promise
  }

  /** Ends the model's turn. */
  reply({ runId, label }: Place, entry: Entry): false {
    const asked = this.#asked.get(`${runId}:${label}`)
    if (!asked) throw new Error(`the agent '${entry.model}' does not wait for its model`)
    this.#asked.delete(`${runId}:${label}`)
    const { text = '', calls = [], answer } = entry
    if (entry.error !== undefined) asked.reject(thrown(entry))
    else asked.resolve({ text, calls, ...(answer === undefined ? {} : { answer }) })
    return false
  }

  /** Ends a handler's call, or loses its worker. */
  async end({ runId, label }: Place, entry: Entry): Promise<boolean> {
    const name = `${runId}:${label}`
    if (entry.error === 'lost' && this.#asked.delete(name)) return this.#lose(this.#works.get(name))
    const late = this.#late.get(`${name} ${entry.attempt}`)
    const held = late ?? this.#held.get(name)
    if (!held) throw new Error(`no call '${entry.call}' is running`)
    if (!late) this.#held.delete(name)
    if (entry.error === 'lost') return this.#lose(held.work)
    if (entry.error !== undefined) held.reject(thrown(entry))
    else held.resolve(resultOf(entry))
    return false
  }

  async #lose(work: Work | undefined): Promise<false> {
    if (!work) throw new Error('nobody is at work there')
    this.#atWork--
    work.lost = true
    await this.#bench.queue.release([work.jobId])
    return false
  }
}

// Lets everything that can go on without time do so.
// oxlint-disable-next-line no-restricted-globals
const turn = () => new Promise((resolve) => setImmediate(resolve))
export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function withoutNulls(input: Record<string, Json>, kept: string[]): Json {
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => value !== null || kept.includes(key)))
}

function thrown({ error, message = 'as scripted', retry_after: retryAfter }: Entry): Error {
  if (error === 'network') return Object.assign(new Error(message), { code: 'ECONNRESET' })
  const name = error === 'fatal' ? 'FatalError' : error === 'transient' ? 'TransientError' : 'RateLimitError'
  return Object.assign(new Error(message), { name, retryAfter })
}

function resultOf({ output = null, output_length: length, output_not_json: invalid, compensation }: Entry): CallResult {
  const value = invalid ? (Number.NaN as Json) : length === undefined ? output : 'x'.repeat(length)
  return { output: value, ...(compensation ? { compensation } : {}) }
}
