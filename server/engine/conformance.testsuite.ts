import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkInput, type Json, type WorkflowSpec } from '@/spec'
import { differences } from '@/spec/conformance/compare'
import type { Entry, Observed, RunCase } from '@/spec/conformance/reference-runner'
import type { WorkflowEngine } from './engine'
import type { CallResult, Principal } from './model'
import type { Ports, Queue, Tool, ToolCall } from './ports'
import type { TestClock } from './test-clock'
import { fetchAll, type TestRun } from './testing'

/** What the kit's run cases need of an engine: on whatever store, with a clock that stands still until it is turned. */
type Bench = {
  engine: WorkflowEngine
  queue: Queue
  clock: TestClock
  start(slug: string, input: Record<string, Json>, principal: Principal): Promise<string>
  grantRole(teamId: string, userId: string, role: string): void | Promise<void>
  run(runId: string): TestRun | Promise<TestRun>
}
type CreateBench = (options: {
  tools: Tool[]
  jobs: Tool[]
  workflows: WorkflowSpec[]
  random: () => number
  access: Ports['access']
}) => Bench | Promise<Bench>

/** Who re-drives and records: none of those who decide gates. */
const OPERATOR = 'operator'
const CASES = join(import.meta.dirname, '../../spec/conformance/cases/runs')

/** Every run case of the conformance kit. `notYet` names those whose kinds or happenings the engine does not know: one that passes must be taken out. */
export function conformanceSuite(create: CreateBench, notYet: ReadonlySet<string>): void {
  const cases = readdirSync(CASES).flatMap((file) => JSON.parse(readFileSync(join(CASES, file), 'utf8')) as RunCase[])
  describe('the conformance kit', () => {
    test.each(cases.filter(({ name }) => !notYet.has(name)).map((one) => [one.name, one] as const))('%s', async (_, one) => {
      expect(await outcome(create, one)).toEqual([])
    })
    test.each([...notYet])('not yet: %s', async (name) => {
      const one = cases.find((other) => other.name === name)
      expect(one, 'there is such a case').toBeDefined()
      if (one) expect(await outcome(create, one), 'it passes: take it out of the list').not.toEqual([])
    })
  })
}

async function outcome(create: CreateBench, one: RunCase): Promise<string[]> {
  try {
    return differences(one, await playCase(create, one))
  } catch (error) {
    return [String(error)]
  }
}

/** Plays a case's script on an engine and returns what was seen. Throws where the script does what the engine cannot. */
export function playCase(create: CreateBench, one: RunCase): Promise<Observed> {
  return new Player(one).play(create)
}

type Held = { jobId: string; attempt: number; resolve: (result: CallResult) => void; reject: (thrown: unknown) => void }

/** Plays one case: handlers wait until the script ends them. */
class Player {
  readonly #held = new Map<string, Held>()
  /** Handlers that took too long, and may still say something. */
  readonly #late = new Map<string, Held>()
  readonly #jobs = new Map<string, string>()
  readonly #undone: string[] = []
  #calls: Observed['trace'][number]['calls'] = []
  #atWork = 0
  #cancelling = false
  #runId = ''
  #bench!: Bench

  constructor(private readonly test: RunCase) {}

  async play(create: CreateBench): Promise<Observed> {
    const { spec, principal, random = 1 } = this.test
    const document = spec as WorkflowSpec
    const callable = (declared: RunCase['tools'] = {}) => Object.entries(declared).map(([name, tool]) => this.#tool(name, tool))
    this.#bench = await create({
      tools: callable(this.test.tools),
      jobs: callable(this.test.jobs),
      workflows: [document],
      random: () => random,
      access: {
        mayStart: async () => ({ ok: true }),
        admit: async ({ tool }) => (this.test.tools?.[tool]?.denied ? { ok: false, code: 'denied', message: 'as declared' } : { ok: true }),
      },
    })
    const { user_id: userId = 'starter', team_id: teamId = 'team', locale = 'en' } = principal ?? {}
    await this.#grantRoles(document, teamId)
    const checked = checkInput(document.input ?? {}, this.test.input ?? {})
    if (!checked.ok) throw new Error('the input is refused')
    this.#runId = await this.#bench.start(document.slug, checked.value, { userId, teamId, locale })
    return this.#observed(await this.#trace())
  }

  async #grantRoles(document: WorkflowSpec, teamId: string): Promise<void> {
    for (const step of document.steps) {
      if (!('role' in step)) continue
      const holders = this.test.roles === undefined ? ['ana', 'ben', 'carl'] : (this.test.roles[step.role] ?? [])
      for (const userId of holders) await this.#bench.grantRole(teamId, userId, step.role)
    }
  }

  async #trace(): Promise<Observed['trace']> {
    const trace: Observed['trace'] = []
    let before: Record<string, string> = {}
    for (const entry of [null, ...this.test.script]) {
      const refused = entry === null ? false : await this.#happen(entry)
      await this.#quiet()
      const states = statesOf(this.test, await this.#run())
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
    const run = await this.#run()
    const outputs = Object.fromEntries([...run.steps].map(([id, { output, error }]) => [id, shownOutput(output, error)]))
    const shown = Object.fromEntries(run.gates.map(({ stepId, message, show }) => [stepId, { message, show }]))
    const error = run.error && { code: run.error.code, ...(run.error.stepId === undefined ? {} : { step: run.error.stepId }) }
    return this.#readable({ trace, status: run.status, error, output: run.output, title: run.title, outputs, shown, undone: this.#undone })
  }

  /** The run's id as cases write it. */
  #readable<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll(this.#runId, 'RUN')) as T
  }

  async #run(): Promise<TestRun> {
    return this.#bench.run(this.#runId)
  }

  /** Performs jobs until every one of them waits for its handler, and every handler for the script. */
  async #quiet(): Promise<void> {
    const { engine, queue } = this.#bench
    for (;;) {
      await turn()
      const jobs = await fetchAll(queue)
      for (const job of jobs) {
        const { stepId, item, call } = job.data
        this.#jobs.set(`${stepId}${item < 0 ? '' : `:${item}`}${call === '' ? '' : `/${call}`}`, job.id)
        this.#atWork++
        void engine
          .perform(job)
          .then(() => queue.complete([job.id]))
          .finally(() => this.#atWork--)
      }
      if (jobs.length === 0 && this.#atWork <= this.#held.size) return
    }
  }

  #tool(name: string, declared: NonNullable<RunCase['tools']>[string]): Tool {
    const { requires = [], allows_null: nullable = [], compensation } = declared
    const typed = declared.requires !== undefined || declared.allows_null !== undefined
    return {
      name,
      effect: declared.effect,
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
    const label = key.slice(runId.length + 1).replace(/#\d+$/, '')
    if (label.endsWith('/undo') && attempt === 1) this.#undone.push(label.slice(0, -'/undo'.length))
    return label
  }

  async #hold(label: string, { attempt, signal }: ToolCall): Promise<CallResult> {
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
    const held = { jobId: this.#jobs.get(label) ?? '', attempt, resolve, reject }
    this.#held.set(label, held)
    // A handler that was told to stop because it took too long ends no job any more; one of a cancelled run still does.
    signal.addEventListener('abort', () => {
      if (this.#cancelling || this.#held.get(label) !== held) return
      this.#held.delete(label)
      this.#late.set(`${label} ${attempt}`, held)
    })
    return promise
  }

  async #happen(entry: Entry): Promise<boolean | string[]> {
    const { engine, clock } = this.#bench
    if (entry.run !== undefined) throw new Error('there are no children yet')
    if (entry.advance !== undefined) {
      clock.advance(entry.advance * 1000)
      await turn()
      await engine.sweep()
      return false
    }
    if (entry.decide !== undefined) return this.#decide(entry)
    if (entry.cancel) {
      this.#cancelling = true
      return !(await engine.cancel(this.#runId)).ok
    }
    if (entry.redrive !== undefined) return this.#redrive(entry.redrive)
    if (entry.record !== undefined) return this.#record(entry)
    if (entry.call !== undefined) return this.#end(entry)
    throw new Error(`the engine cannot do this yet: ${Object.keys(entry).join(', ')}`)
  }

  async #redrive(answers: Record<string, 'repeat' | 'keep'>): Promise<boolean | string[]> {
    const result = await this.#bench.engine.redrive(this.#runId, { by: OPERATOR, answers })
    return result.ok ? false : result.reason === 'unanswered' ? result.plan.ask : true
  }

  async #record({ record = '', outcome, output = null }: Entry): Promise<boolean> {
    const [stepId = '', item] = record.split(':')
    const recorded = outcome === 'succeeded' ? { happened: true as const, output } : { happened: false as const }
    const about = { by: OPERATOR, stepId, item: item === undefined ? -1 : Number(item), outcome: recorded }
    return !(await this.#bench.engine.recordOutcome(this.#runId, about)).ok
  }

  async #decide({ decide, by = '', decision = 'approve', comment, form, channel = 'web' }: Entry): Promise<boolean> {
    const gates = (await this.#run()).gates.filter(({ stepId }) => stepId === decide)
    const gate = gates.find(({ status }) => status === 'open') ?? gates.at(-1)
    if (!gate) return true
    const via = channel as 'web' | 'email' | 'mcp'
    return !(
      await this.#bench.engine.decideGate(gate.id, { userId: by, decision, comment: comment ?? null, form: form ?? null, channel: via })
    ).ok
  }

  async #end(entry: Entry): Promise<boolean> {
    const label = entry.call ?? ''
    const late = this.#late.get(`${label} ${entry.attempt}`)
    const held = late ?? this.#held.get(label)
    if (!held) throw new Error(`no call '${label}' is running`)
    if (!late) this.#held.delete(label)
    if (entry.error === 'lost') {
      this.#atWork--
      await this.#bench.queue.release([held.jobId])
    } else if (entry.error !== undefined) held.reject(thrown(entry))
    else held.resolve(resultOf(entry))
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

/** A step without a row has not been decided. */
function statesOf({ spec }: RunCase, run: TestRun): Record<string, string> {
  const states: Record<string, string> = { '': run.status }
  for (const { id } of spec.steps) states[id] = run.steps.get(id)?.status ?? 'pending'
  for (const [id, { items }] of run.steps) items.forEach((item, i) => (states[`${id}:${i}`] = item.status))
  return states
}

function shownOutput(output: Json | undefined, error: { code: string; message: string } | null): Json {
  if (!error) return output ?? null
  return { ...(isObject(output) ? output : {}), error: { code: error.code, message: error.message } }
}
