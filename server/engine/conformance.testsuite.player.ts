import { checkInput, type Json, type WorkflowSpec } from '@/spec'
import type { Entry, Observed, RunCase } from '@/spec/conformance/reference-runner'
import type { WorkflowEngine } from './engine'
import type { CallResult, EngineError, Principal } from './model'
import type { Gate, Job, ModelReply, ModelRequest, Models, Ports, Queue, Tool, ToolCall } from './ports'
import { fetchAll } from './testing'

/** What is seen of a step, and of a run; items in their places. */
export type SeenStep = {
  status: string
  output: Json | undefined
  error: EngineError | null
  items: Pick<SeenStep, 'status' | 'child'>[]
  /** The run that it started. */
  child: string | null
}
export type SeenRun = {
  id: string
  title: string | null
  status: string
  output: Json | null
  error: EngineError | null
  steps: Map<string, SeenStep>
  gates: Pick<Gate, 'id' | 'stepId' | 'status' | 'message' | 'show'>[]
}

/** What the kit's run cases need of an engine: on whatever store, with a clock that stands still until it is turned. */
export type Bench = {
  engine: WorkflowEngine
  queue: Queue
  /** Turns the clock; whatever wakes by it has been woken when this returns. */
  advance(ms: number): void | Promise<void>
  start(slug: string, input: Record<string, Json>, principal: Principal): Promise<string>
  grantRole(teamId: string, userId: string, role: string): void | Promise<void>
  /** The next version of a workflow. */
  publish(document: WorkflowSpec): void | Promise<void>
  run(runId: string): SeenRun | Promise<SeenRun>
  /** Resolves when the store does nothing and nothing follows that would make it; where that needs more than a turn of the event loop. */
  calm?: () => Promise<void>
  /** What the store calls a person or team; their own names unless given. */
  idOf?: (name: string) => string
}
type BenchOptions = {
  /** The team that owns the workflows. */
  teamId: string
  tools: Tool[]
  jobs: Tool[]
  model: Models['reply']
  workflows: WorkflowSpec[]
  random: () => number
  access: Ports['access']
}
export type CreateBench = (options: BenchOptions) => Bench | Promise<Bench>

/** Who re-drives and records: none of those who decide gates. */
const OPERATOR = 'operator'

/** Plays a case's script on an engine and returns what was seen. Throws where the script does what the engine cannot. */
export function playCase(create: CreateBench, one: RunCase): Promise<Observed> {
  return new Player(one).play(create)
}

/** One performance of a job; `lost`: its worker died, and what it still does is nobody's. */
type Work = { jobId: string; lost: boolean }
type Held = { work: Work; attempt: number; resolve: (result: CallResult) => void; reject: (thrown: unknown) => void }

type Asked = { resolve: (reply: ModelReply) => void; reject: (thrown: unknown) => void }

/** The run that was started and its children, by what stands before the labels of their steps: '' or `sub>`. */
type Family = Map<string, SeenRun>

/**
 * Plays one case: handlers wait until the script ends them. A call is known by its run's id and its label in that run, because its run is
 * found from its parent only once that knows of it.
 */
class Player {
  readonly #held = new Map<string, Held>()
  /** Handlers that took too long, and may still say something. */
  readonly #late = new Map<string, Held>()
  /** Agents that wait for their model, as `#held`. */
  readonly #asked = new Map<string, Asked>()
  readonly #works = new Map<string, Work>()
  readonly #names = new Map<string, string>()
  readonly #undone: { runId: string; label: string }[] = []
  #calls: Observed['trace'][number]['calls'] = []
  #atWork = 0
  #stirred = Promise.withResolvers<void>()
  #timePasses = false
  #runId = ''
  #family: Family = new Map()
  #bench!: Bench

  constructor(private readonly test: RunCase) {}

  async play(create: CreateBench): Promise<Observed> {
    const { spec, principal, random = 1 } = this.test
    const document = spec as WorkflowSpec
    const callable = (declared: RunCase['tools'] = {}) => Object.entries(declared).map(([name, tool]) => this.#tool(name, tool))
    const { user_id: userId = 'starter', team_id: teamId = 'team', locale = 'en' } = principal ?? {}
    this.#bench = await create({
      teamId,
      tools: callable(this.test.tools),
      jobs: callable(this.test.jobs),
      model: (request) => this.#ask(request),
      workflows: this.#documents(),
      random: () => random,
      access: {
        mayStart: async () => ({ ok: true }),
        admit: async ({ tool }) => (this.test.tools?.[tool]?.denied ? { ok: false, code: 'denied', message: 'as declared' } : { ok: true }),
      },
    })
    for (const one of this.#documents()) await this.#grantRoles(one, teamId)
    const checked = checkInput(document.input ?? {}, this.test.input ?? {})
    if (!checked.ok) throw new Error('the input is refused')
    this.#runId = await this.#bench.start(document.slug, checked.value, { userId: this.#idOf(userId), teamId: this.#idOf(teamId), locale })
    return this.#observed(await this.#trace())
  }

  /** In the order in which they are published. A workflow may call itself. */
  #documents(): WorkflowSpec[] {
    const { spec, workflows = {} } = this.test
    const itself = Object.values(workflows).some(({ slug }) => slug === spec.slug)
    return [...inOrder(workflows), ...(itself ? [] : [spec as WorkflowSpec])]
  }

  async #grantRoles(document: WorkflowSpec, teamId: string): Promise<void> {
    for (const step of document.steps) {
      if (!('role' in step)) continue
      const holders = this.test.roles === undefined ? ['ana', 'ben', 'carl'] : (this.test.roles[step.role] ?? [])
      for (const userId of holders) await this.#bench.grantRole(this.#idOf(teamId), this.#idOf(userId), step.role)
    }
  }

  async #trace(): Promise<Observed['trace']> {
    const trace: Observed['trace'] = []
    let before: Record<string, string> = {}
    for (const entry of [null, ...this.test.script]) {
      const refused = entry === null ? false : await this.#happen(entry)
      await this.#quiet()
      this.#family = await this.#relatives()
      const states = this.#states()
      const { '': run, ...steps } = Object.fromEntries(
        Object.entries(states).filter(([label, state]) => state !== (before[label] ?? 'pending')),
      )
      trace.push({ ...(run === undefined ? {} : { run }), steps, states, calls: this.#readable(this.#calls), refused })
      before = states
      this.#calls = []
    }
    return trace
  }

  async #observed(trace: Observed['trace']): Promise<Observed> {
    const run = this.#member('')
    const outputs = Object.fromEntries([...run.steps].map(([id, { output, error }]) => [id, shownOutput(output, error)]))
    const shown = [...this.#family].flatMap(([prefix, { gates }]) => gates.map((gate) => [prefix + gate.stepId, shownOf(gate)] as const))
    const error = run.error && { code: run.error.code, ...(run.error.stepId === undefined ? {} : { step: run.error.stepId }) }
    const undone = this.#undone.map(({ runId, label }) => this.#prefixOf(runId) + label)
    const { status, output, title } = run
    return this.#readable({ trace, status, error, output, title, outputs, shown: Object.fromEntries(shown), undone })
  }

  #idOf(name: string): string {
    const id = this.#bench.idOf?.(name) ?? name
    this.#names.set(id, name)
    return id
  }

  /** Ids as cases write them. */
  #readable<T>(value: T): T {
    const names = new Map(this.#names)
    for (const [prefix, { id }] of this.#family) names.set(id, prefix === '' ? 'RUN' : `RUN>${prefix.slice(0, -1)}`)
    const text = [...names].reduce((so, [id, name]) => so.replaceAll(id, name), JSON.stringify(value))
    return JSON.parse(text) as T
  }

  async #relatives(): Promise<Family> {
    const family: Family = new Map()
    const open = [{ prefix: '', id: this.#runId }]
    for (const { prefix, id } of open) {
      const run = await this.#bench.run(id)
      family.set(prefix, run)
      for (const [stepId, step] of run.steps) {
        const places = [{ label: stepId, child: step.child }, ...step.items.map(({ child }, i) => ({ label: `${stepId}:${i}`, child }))]
        for (const { label, child } of places) if (child !== null) open.push({ prefix: `${prefix}${label}>`, id: child })
      }
    }
    return family
  }

  #member(prefix: string): SeenRun {
    const run = this.#family.get(prefix)
    if (!run) throw new Error(`there is no run '${prefix}'`)
    return run
  }

  #prefixOf(runId: string): string {
    return [...this.#family].find(([, { id }]) => id === runId)?.[0] ?? ''
  }

  /** The run in which a label stands, and the label in that run. */
  #placeOf(label: string): { runId: string; label: string } {
    const at = label.lastIndexOf('>') + 1
    return { runId: this.#member(label.slice(0, at)).id, label: label.slice(at) }
  }

  /** A step without a row has not been decided: one of a child is listed where the case asks for it. */
  #states(): Record<string, string> {
    const states: Record<string, string> = {}
    for (const { id } of this.test.spec.steps) states[id] = 'pending'
    for (const { steps = {} } of this.test.expect.trace) {
      for (const label of Object.keys(steps)) if (this.#family.has(label.slice(0, label.lastIndexOf('>') + 1))) states[label] = 'pending'
    }
    for (const [prefix, run] of this.#family) {
      states[prefix] = run.status
      for (const [id, { status, items }] of run.steps) {
        states[prefix + id] = status
        items.forEach((item, i) => (states[`${prefix}${id}:${i}`] = item.status))
      }
    }
    return states
  }

  /** Performs jobs until every one of them waits for its handler, and every handler for the script. */
  async #quiet(): Promise<void> {
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

  #tool(name: string, declared: NonNullable<RunCase['tools']>[string]): Tool {
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
    if (label.endsWith('/undo') && attempt === 1) this.#undone.push({ runId, label: label.slice(0, -'/undo'.length) })
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

  #ask({ about: { runId, stepId, item }, signal }: ModelRequest): Promise<ModelReply> {
    const name = `${runId}:${stepId}${item < 0 ? '' : `:${item}`}`
    const { promise, resolve, reject } = Promise.withResolvers<ModelReply>()
    this.#asked.set(name, { resolve, reject })
    this.#stir()
    signal.addEventListener('abort', () => this.#asked.delete(name))
    return promise
  }

  #reply(entry: Entry): false {
    const { runId, label } = this.#placeOf(entry.model ?? '')
    const asked = this.#asked.get(`${runId}:${label}`)
    if (!asked) throw new Error(`the agent '${entry.model}' does not wait for its model`)
    this.#asked.delete(`${runId}:${label}`)
    const { text = '', calls = [], answer } = entry
    if (entry.error !== undefined) asked.reject(thrown(entry))
    else asked.resolve({ text, calls, ...(answer === undefined ? {} : { answer }) })
    return false
  }

  async #happen(entry: Entry): Promise<boolean | string[]> {
    const { engine } = this.#bench
    const runId = this.#member(entry.run === undefined ? '' : `${entry.run}>`).id
    if (entry.advance !== undefined) return this.#advance(entry.advance)
    if (entry.decide !== undefined) return this.#decide(entry)
    if (entry.cancel) return !(await engine.cancel(runId)).ok
    if (entry.redrive !== undefined) return this.#redrive(runId, entry.redrive)
    if (entry.record !== undefined) return this.#record(entry)
    if (entry.publish !== undefined) return this.#publish(entry.publish)
    if (entry.model !== undefined) return this.#reply(entry)
    if (entry.call !== undefined) return this.#end(entry)
    throw new Error(`the engine cannot do this yet: ${Object.keys(entry).join(', ')}`)
  }

  async #advance(seconds: number): Promise<boolean> {
    this.#timePasses = true
    await this.#bench.advance(seconds * 1000)
    await turn()
    this.#timePasses = false
    await this.#bench.engine.sweep()
    return false
  }

  async #publish(documents: NonNullable<Entry['publish']>): Promise<boolean> {
    for (const document of inOrder(documents)) await this.#bench.publish(document)
    return false
  }

  async #redrive(runId: string, answers: Record<string, 'repeat' | 'keep'>): Promise<boolean | string[]> {
    const result = await this.#bench.engine.redrive(runId, { by: this.#idOf(OPERATOR), answers })
    return result.ok ? false : result.reason === 'unanswered' ? result.plan.ask : true
  }

  async #record({ record = '', outcome, output = null }: Entry): Promise<boolean> {
    const { runId, label } = this.#placeOf(record)
    const [stepId = '', item] = label.split(':')
    const recorded = outcome === 'succeeded' ? { happened: true as const, output } : { happened: false as const }
    const about = { by: this.#idOf(OPERATOR), stepId, item: item === undefined ? -1 : Number(item), outcome: recorded }
    return !(await this.#bench.engine.recordOutcome(runId, about)).ok
  }

  async #decide({ decide = '', by = '', decision = 'approve', comment, form, channel = 'web' }: Entry): Promise<boolean> {
    const { runId, label } = this.#placeOf(decide)
    const gates = (await this.#bench.run(runId)).gates.filter(({ stepId }) => stepId === label)
    const gate = gates.find(({ status }) => status === 'open') ?? gates.at(-1)
    if (!gate) return true
    const via = channel as 'web' | 'email' | 'mcp'
    return !(
      await this.#bench.engine.decideGate(gate.id, {
        userId: this.#idOf(by),
        decision,
        comment: comment ?? null,
        form: form ?? null,
        channel: via,
      })
    ).ok
  }

  async #end(entry: Entry): Promise<boolean> {
    const { runId, label } = this.#placeOf(entry.call ?? '')
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
const isObject = (value: unknown): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value)

function withoutNulls(input: Record<string, Json>, kept: string[]): Json {
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => value !== null || kept.includes(key)))
}

function thrown({ error, message = 'as scripted', retry_after: retryAfter }: Entry): Error {
  const name = error === 'fatal' ? 'FatalError' : error === 'transient' ? 'TransientError' : 'RateLimitError'
  return Object.assign(new Error(message), { name, retryAfter })
}

function resultOf({ output = null, output_length: length, output_not_json: invalid, compensation }: Entry): CallResult {
  const value = invalid ? (Number.NaN as Json) : length === undefined ? output : 'x'.repeat(length)
  return { output: value, ...(compensation ? { compensation } : {}) }
}

/** Documents by `slug@version`, the versions of each one after the other. */
function inOrder(documents: Record<string, unknown>): WorkflowSpec[] {
  const sorted = Object.entries(documents).sort(([a], [b]) => versionIn(a) - versionIn(b))
  return sorted.map(([, document]) => document as WorkflowSpec)
}

const versionIn = (name: string) => Number(name.split('@')[1])
const shownOf = ({ message, show }: SeenRun['gates'][number]) => ({ message, show })

function shownOutput(output: Json | undefined, error: { code: string; message: string } | null): Json {
  if (!error) return output ?? null
  return { ...(isObject(output) ? output : {}), error: { code: error.code, message: error.message } }
}
