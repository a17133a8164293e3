import { checkInput, type Json, type WorkflowSpec } from '@/spec'
import type { Entry, Observed, RunCase } from '@/spec/conformance/reference-runner'
import type { Bench, CreateBench, SeenRun } from './conformance.testsuite.bench'
import { Calls, isObject } from './conformance.testsuite.calls'
import { Family } from './conformance.testsuite.family'

/** Who re-drives and records: none of those who decide gates. */
const OPERATOR = 'operator'

/** Plays a case's script on an engine and returns what was seen. Throws where the script does what the engine cannot. */
export function playCase(create: CreateBench, one: RunCase): Promise<Observed> {
  return new Player(one).play(create)
}

/** Plays one case: what its script says happens, one thing after the other. */
class Player {
  readonly #calls = new Calls()
  #runId = ''
  #family!: Family
  #bench!: Bench

  constructor(private readonly test: RunCase) {}

  async play(create: CreateBench): Promise<Observed> {
    const { spec, principal, random = 1 } = this.test
    const document = spec as WorkflowSpec
    const callable = (declared: RunCase['tools'] = {}) => Object.entries(declared).map(([name, tool]) => this.#calls.tool(name, tool))
    const { user_id: userId = 'starter', team_id: teamId = 'team', locale = 'en' } = principal ?? {}
    this.#bench = await create({
      teamId,
      tools: callable(this.test.tools),
      jobs: callable(this.test.jobs),
      model: (request) => this.#calls.ask(request),
      workflows: this.#documents(),
      random: () => random,
      access: {
        mayStart: async ({ workflows, from }) =>
          from && workflows.some((slug) => this.test.denied?.includes(slug)) ? { ok: false, message: 'as declared' } : { ok: true },
        admit: async ({ tool }) => (this.test.tools?.[tool]?.denied ? { ok: false, code: 'denied', message: 'as declared' } : { ok: true }),
      },
    })
    this.#calls.begin(this.#bench)
    this.#family = new Family(this.#bench, this.test)
    for (const one of this.#documents()) await this.#grantRoles(one, teamId)
    const checked = checkInput(document.input ?? {}, this.test.input ?? {})
    if (!checked.ok) throw new Error('the input is refused')
    this.#runId = await this.#bench.start(document.slug, checked.value, {
      userId: this.#family.idOf(userId),
      teamId: this.#family.idOf(teamId),
      locale,
    })
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
      for (const userId of holders) await this.#bench.grantRole(this.#family.idOf(teamId), this.#family.idOf(userId), step.role)
    }
  }

  async #trace(): Promise<Observed['trace']> {
    const trace: Observed['trace'] = []
    let before: Record<string, string> = {}
    for (const entry of [null, ...this.test.script]) {
      const refused = entry === null ? false : await this.#happen(entry)
      await this.#calls.quiet()
      await this.#family.look(this.#runId)
      const states = this.#family.states()
      const { '': run, ...steps } = Object.fromEntries(
        Object.entries(states).filter(([label, state]) => state !== (before[label] ?? 'pending')),
      )
      trace.push({ ...(run === undefined ? {} : { run }), steps, states, calls: this.#family.readable(this.#calls.taken()), refused })
      before = states
    }
    return trace
  }

  async #observed(trace: Observed['trace']): Promise<Observed> {
    const run = this.#family.member('')
    const outputs = Object.fromEntries([...run.steps].map(([id, { output, error }]) => [id, shownOutput(output, error)]))
    const labelled = [...run.steps].flatMap(([id, step]) =>
      [[id, step] as const].concat(step.items.map((item, i) => [`${id}:${i}`, { ...step, ...item }] as const)),
    )
    const flags = labelled.flatMap(([label, { flag }]) => (flag === null ? [] : [[label, flag] as const]))
    const shown = [...this.#family.members].flatMap(([prefix, { gates }]) =>
      gates.map((gate) => [prefix + gate.stepId, shownOf(gate)] as const),
    )
    const error = run.error && { code: run.error.code, ...(run.error.stepId === undefined ? {} : { step: run.error.stepId }) }
    const undone = this.#calls.undone.map(({ runId, label }) => this.#family.prefixOf(runId) + label)
    const { status, output, title } = run
    return this.#family.readable({
      trace,
      status,
      error,
      output,
      title,
      outputs,
      flags: Object.fromEntries(flags),
      shown: Object.fromEntries(shown),
      undone,
    })
  }

  async #happen(entry: Entry): Promise<boolean | string[]> {
    const { engine } = this.#bench
    const runId = this.#family.member(entry.run === undefined ? '' : `${entry.run}>`).id
    if (entry.advance !== undefined) return this.#advance(entry.advance)
    if (entry.decide !== undefined) return this.#decide(entry)
    if (entry.cancel) return !(await engine.cancel(runId)).ok
    if (entry.redrive !== undefined) return this.#redrive(runId, entry.redrive)
    if (entry.record !== undefined) return this.#record(entry)
    if (entry.publish !== undefined) return this.#publish(entry.publish)
    if (entry.model !== undefined) return this.#calls.reply(this.#family.placeOf(entry.model), entry)
    if (entry.call !== undefined) return this.#calls.end(this.#family.placeOf(entry.call), entry)
    throw new Error(`the engine cannot do this yet: ${Object.keys(entry).join(', ')}`)
  }

  async #advance(seconds: number): Promise<boolean> {
    await this.#calls.passing(() => this.#bench.advance(seconds * 1000))
    await this.#bench.engine.sweep()
    return false
  }

  async #publish(documents: NonNullable<Entry['publish']>): Promise<boolean> {
    for (const document of inOrder(documents)) await this.#bench.publish(document)
    return false
  }

  async #redrive(runId: string, answers: Record<string, 'repeat' | 'keep'>): Promise<boolean | string[]> {
    const result = await this.#bench.engine.redrive(runId, { by: this.#family.idOf(OPERATOR), answers })
    return result.ok ? false : result.reason === 'unanswered' ? result.plan.ask : true
  }

  async #record({ record = '', outcome, output = null }: Entry): Promise<boolean> {
    const { runId, label } = this.#family.placeOf(record)
    const [stepId = '', item] = label.split(':')
    const recorded = outcome === 'succeeded' ? { happened: true as const, output } : { happened: false as const }
    const about = { by: this.#family.idOf(OPERATOR), stepId, item: item === undefined ? -1 : Number(item), outcome: recorded }
    return !(await this.#bench.engine.recordOutcome(runId, about)).ok
  }

  async #decide({ decide = '', by = '', decision = 'approve', comment, form, channel = 'web' }: Entry): Promise<boolean> {
    const { runId, label } = this.#family.placeOf(decide)
    const gates = (await this.#bench.run(runId)).gates.filter(({ stepId }) => stepId === label)
    const gate = gates.find(({ status }) => status === 'open') ?? gates.at(-1)
    if (!gate) return true
    const via = channel as 'web' | 'email' | 'mcp'
    return !(
      await this.#bench.engine.decideGate(gate.id, {
        userId: this.#family.idOf(by),
        decision,
        comment: comment ?? null,
        form: form ?? null,
        channel: via,
      })
    ).ok
  }
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
