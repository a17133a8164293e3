/*
 * A second interpreter of workflow spec 1, written from its page alone: one file, no imports, and deliberately naive. After every happening it
 * looks at everything again until nothing moves by itself. It stores nothing, is quick at nothing, and expects documents that were validated.
 * It exists to prove that the page and the kit's README suffice to run a workflow (README.md beside this file).
 */
/* oxlint-disable no-restricted-globals -- Date only turns texts into instants and back; nothing here reads a clock. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

// ---------------------------------------------------------------------------------------------------------------------------------------
// The format of the cases (README.md)

export interface Scope {
  input?: JsonObject
  /** Outputs by step id. A step that is not here was skipped or has none. */
  steps?: JsonObject
  run?: { id: string }
  principal?: { team_id: string; user_id: string; locale: string }
  item?: Json
  index?: number
}

export interface Predicate {
  left: Json
  op: string
  right?: Json
}

type Effect = 'read' | 'write' | 'once'
interface ToolDeclaration {
  effect: Effect
  returns?: Json
  echo?: boolean
  denied?: boolean
  compensation?: { uses: string; with: JsonObject }
  requires?: string[]
  allows_null?: string[]
  secret?: string[]
}

export interface Entry {
  run?: string
  call?: string
  attempt?: number
  model?: string
  calls?: { tool: string; input: Json }[]
  text?: string
  answer?: JsonObject
  output?: Json
  output_length?: number
  output_not_json?: boolean
  compensation?: { uses: string; with: JsonObject }
  error?: 'transient' | 'network' | 'rate_limited' | 'fatal' | 'lost'
  message?: string
  retry_after?: number
  advance?: number
  decide?: string
  by?: string
  decision?: 'approve' | 'reject'
  comment?: string
  form?: JsonObject
  channel?: string
  cancel?: boolean
  redrive?: { [label: string]: 'repeat' | 'keep' }
  record?: string
  outcome?: 'succeeded' | 'failed'
  publish?: { [workflow: string]: Document }
  /** Expected: the entry is refused and changes nothing; for a re-drive, the labels that must be answered. */
  refused?: boolean | string[]
}

interface TraceEntry {
  run?: string
  steps?: { [label: string]: string }
  calls?: { key: string; tool?: string; input?: Json; attempt?: number }[]
}

export interface RunCase {
  name: string
  covers: string[]
  spec: Document
  workflows?: { [workflow: string]: Document }
  tools?: { [name: string]: ToolDeclaration }
  jobs?: { [kind: string]: ToolDeclaration }
  denied?: string[]
  input?: JsonObject
  principal?: { user_id: string; team_id: string; locale: string }
  roles?: { [role: string]: string[] }
  random?: number
  script: Entry[]
  expect: {
    trace: TraceEntry[]
    status: string
    error?: { code?: string; step?: string } | null
    output?: Json
    title?: string | null
    outputs?: { [step: string]: Json }
    flags?: { [step: string]: string }
    shown?: { [step: string]: Json }
    undone?: string[]
  }
}

/** What a runner of cases saw. `states` holds every step, item and child run after each entry; `steps` only what changed. */
export interface Observed {
  trace: { run?: string; steps: Record<string, string>; states: Record<string, string>; calls: Call[]; refused: boolean | string[] }[]
  status: string
  error: { code: string; step?: string } | null
  output: Json
  title: string | null
  outputs: Record<string, Json>
  flags: Record<string, string>
  shown: Record<string, Json>
  undone: string[]
}
interface Call {
  key: string
  tool: string
  input: Json
  attempt: number
}

interface Field {
  type: string
  required?: boolean
  default?: Json
  enum?: Json[]
  format?: string
  minimum?: number
  maximum?: number
  min_length?: number
  max_length?: number
  items?: Field
  properties?: Fields
  secret?: boolean
}
export type Fields = { [name: string]: Field }

interface Body {
  uses: string
  with?: JsonObject
  retry?: { max_attempts?: number; base_seconds?: number; max_seconds?: number }
  timeout_seconds?: number
  compensate?: { uses: string; with?: JsonObject }
  goal?: Json
  context?: Json
  tools?: string[]
  unattended?: boolean
  max_turns?: number
  output?: Fields
}
interface Step extends Body {
  id: string
  after: string[]
  join?: 'all' | 'any'
  branches?: { name: string; when?: Predicate }[]
  role?: string
  channels?: string[]
  ttl_seconds?: number
  message?: Json
  show?: JsonObject
  form?: Fields
  approvals?: number
  self_approval?: boolean
  over?: Json
  do?: Body
  concurrency?: number
  tolerate?: number
  seconds?: Json
  until?: Json
}
interface Document {
  spec: 1
  slug: string
  title: string
  input?: Fields
  run_title?: Json
  steps: Step[]
  output?: JsonObject
  compensate_on?: string[]
}

// ---------------------------------------------------------------------------------------------------------------------------------------
// Values, references, predicates (spec §3 choice, §4)

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const own = (value: object, key: string): Json | undefined => (Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined)

/** Replaces every reference in a value, once: what comes in is data and stays as it is. */
export function resolve(value: Json, scope: Scope): Json {
  if (typeof value === 'string') {
    const segments = /^\$\{([^{}$\s]+)\}$/.exec(value)?.[1]?.split('.')
    return segments === undefined ? value : lookUp(segments, scope)
  }
  if (Array.isArray(value)) return value.map((inner) => resolve(inner, scope))
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, scope)]))
  return value
}

function lookUp([root = '', ...rest]: string[], scope: Scope): Json {
  if (root === 'item') return follow(scope.item, rest)
  if (root === 'index') return scope.index ?? null
  if (root === 'steps') return follow(own(scope.steps ?? {}, rest[0] ?? ''), rest.slice(2))
  const whole: Record<string, Json | undefined> = { input: scope.input ?? {}, run: scope.run, principal: scope.principal }
  return follow(whole[root], rest)
}

function follow(value: Json | undefined, path: string[]): Json {
  for (const segment of path) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined
    else value = isObject(value) ? own(value, segment) : undefined
  }
  return value ?? null
}

function same(a: Json, b: Json): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => same(item, b[i] ?? null))
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a)
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key] ?? null, b[key] ?? null))
  }
  return a === b
}

/** Whether a predicate holds; `predicate_type_mismatch` where its operator says nothing about these types. */
export function holds({ left: l, op, right: r }: Predicate, scope: Scope): boolean | 'predicate_type_mismatch' {
  const left = resolve(l, scope)
  const right = resolve(r ?? null, scope)
  if (op === 'eq') return same(left, right)
  if (op === 'ne') return !same(left, right)
  if (op === 'exists') return left !== null
  if (op === 'empty') return left === null || left === '' || same(left, []) || same(left, {})
  const texts = typeof left === 'string' && typeof right === 'string'
  if (op === 'contains') {
    if (Array.isArray(left)) return left.some((item) => same(item, right))
    return texts ? left.includes(right) : 'predicate_type_mismatch'
  }
  if (texts) return op === 'lt' ? left < right : left > right
  if (typeof left === 'number' && typeof right === 'number') return op === 'lt' ? left < right : left > right
  return 'predicate_type_mismatch'
}

// ---------------------------------------------------------------------------------------------------------------------------------------
// Inputs (spec §2, "At the start")

type Problem = { code: string; path: string }

/** Checks inputs against their fields; returns them with defaults filled in, or the problems. */
export function checkInput(fields: Fields, given: Json): { value: JsonObject } | { problems: Problem[] } {
  const problems: Problem[] = []
  const add = (code: string, path: string) => void problems.push({ code, path })
  if (!isObject(given)) return { problems: [{ code: 'input_invalid', path: '' }] }
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) add('input_unknown', `/${escaped(name)}`)
  const value = checkMembers(fields, given, '', add)
  return problems.length > 0 ? { problems } : { value }
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

function checkMembers(fields: Fields, given: JsonObject, path: string, add: (code: string, path: string) => void): JsonObject {
  const checked: [string, Json][] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = own(given, name) ?? field.default ?? null
    if (value !== null) checked.push([name, checkValue(field, value, `${path}/${escaped(name)}`, add)])
    else if (field.required !== false) add('input_missing', `${path}/${escaped(name)}`)
  }
  for (const [name, value] of Object.entries(given)) if (!Object.hasOwn(fields, name)) checked.push([name, value])
  return Object.fromEntries(checked)
}

function checkValue(field: Field, value: Json, path: string, add: (code: string, path: string) => void): Json {
  const type = Array.isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value
  const integer = field.type === 'integer' && Number.isInteger(value)
  if (type !== field.type && !integer) {
    add('input_invalid', path)
    return value
  }
  if (depthOf(value) > 16) {
    add('too_deep', path)
    return value
  }
  if (field.enum && !field.enum.some((allowed) => same(allowed, value))) add('input_invalid', path)
  if (typeof value === 'string') {
    const length = [...value].length
    if (length < (field.min_length ?? 0) || length > (field.max_length ?? Infinity)) add('input_invalid', path)
    if (field.format !== undefined && !FORMATS[field.format]?.(value)) add('input_invalid', path)
  }
  if (typeof value === 'number' && (value < (field.minimum ?? -Infinity) || value > (field.maximum ?? Infinity))) add('input_invalid', path)
  const { items } = field
  if (Array.isArray(value) && items) return value.map((item, i) => checkValue(items, item, `${path}/${i}`, add))
  return isObject(value) ? checkMembers(field.properties ?? {}, value, path, add) : value
}

/** How many containers stand within each other. */
const depthOf = (value: Json): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((most, inner) => Math.max(most, depthOf(inner)), 0)
    : 0
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)
const isInstant = (text: string) =>
  isDay(text.slice(0, 10)) && /^t([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i.test(text.slice(10))
const isMadeOf = (part: string, more: string) => new RegExp(`^([\\w.~!$&'()*+,;=${more}-]|%[\\da-f]{2})*$`, 'i').test(part)
/** RFC 3986, appendix B, then its parts one by one. */
function isUri(text: string): boolean {
  const [, scheme = '', , authority, path = '', , query = '', , fragment = ''] =
    /^([^:/?#]+):(\/\/([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?$/s.exec(text) ?? []
  const [, user = '', host = ''] = /^(?:([^@]*)@)?(.*?)(?::\d*)?$/s.exec(authority ?? '') ?? []
  const isHost = /^\[([\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\]$/i.test(host) || isMadeOf(host, '')
  const parts = isMadeOf(user, ':') && isHost && isMadeOf(path, ':@/') && isMadeOf(query, ':@/?') && isMadeOf(fragment, ':@/?')
  return text.length <= 8192 && /^[a-z][a-z\d+.-]*$/i.test(scheme) && parts
}
function isEmail(text: string): boolean {
  const label = '[a-z\\d]([a-z\\d-]{0,61}[a-z\\d])?'
  return text.length <= 254 && new RegExp(`^[\\w.!#$%&'*+/=?^\`{|}~-]{1,64}@${label}(\\.${label})*$`, 'i').test(text)
}
const FORMATS: Record<string, (text: string) => boolean> = {
  multiline: () => true,
  email: isEmail,
  uri: isUri,
  date: isDay,
  'date-time': isInstant,
}

// ---------------------------------------------------------------------------------------------------------------------------------------
// Runs

type RunStatus = 'queued' | 'running' | 'awaiting_approval' | 'succeeded' | 'rejected' | 'parked' | 'cancelled'
type Fault = { code: string; message: string; step?: string }

/** A call: of a step, of a map's item, of an agent, or an undo. */
interface Work {
  run: Run
  state: StepState
  body: Body
  /** Its place in a map, with the item. */
  index: number | null
  item: Json
  /** What its idempotency key says after the run: `pay`, `each:2`, `ask/t1.1`, `pay/undo`. */
  label: string
  status: string
  attempt: number
  keyEpoch: number
  /** When it may start, when this attempt and when the first one started: milliseconds. */
  due: number
  since: number
  /** When it was told to stop, because its run was cancelled. */
  told: number | null
  first: number | null
  /** Just taken by a worker: its handler has not been called yet. */
  fresh: boolean
  /** Some attempt of it ended so that nobody knows whether it happened. */
  ambiguous: boolean
  mustPark: boolean
  output: Json
  error: Fault | null
  /** The run-wide number of its success. */
  seq: number
  undo: { uses: string; with: JsonObject; literal: boolean } | null
  undoTried: boolean
  /** Of an undo: what it undoes. Of an agent's call: the agent. */
  of: Work | null
  child: Run | null
  turn: number
  turnCalls: Work[]
}

interface StepState {
  step: Step
  status: string
  /** Undefined until the step has settled; null when it was skipped. */
  port: string | null | undefined
  output: Json
  error: Fault | null
  work: Work | null
  items: Work[] | null
  failing: { fault: Fault; mustPark: boolean } | null
  gate: { expires: number; votes: Vote[] } | null
  deadline: number | null
}
type Vote = { by: string; decision: string; channel: string; comment: string | null; form: Json; at: number }

interface Run {
  id: string
  /** What labels of its steps begin with: '' for the root, `sub>` for the child of step `sub`. */
  prefix: string
  document: Document
  input: JsonObject
  status: RunStatus
  states: StepState[]
  stopping: { to: 'parked' | 'rejected' | 'cancelled'; fault: Fault | null } | null
  fault: Fault | null
  output: Json
  seq: number
  /** Compensation is under way. */
  undoing: boolean
  undo: Work | null
  parent: Work | null
  depth: number
  /** By `slug@version`: what had been published when the root started. Nothing that came later can be started. */
  known: Map<string, Document>
}

const START = Date.parse('2030-01-01T00:00:00Z')
const DAY = 86_400_000
const YEAR_SECONDS = 31_536_000
const MIB = 1024 * 1024
const STOP_WITHIN_MS = 30_000

/** Runs one case and says what it saw. Throws where the script names something that is not there. */
export function observe(test: RunCase): Observed {
  return new World(test).play()
}

class World {
  now = START
  readonly test: RunCase
  readonly runs: Run[] = []
  readonly published = new Map<string, Document>()
  readonly principal
  calls: Call[] = []
  undone: string[] = []
  shown: Record<string, Json> = {}
  flags: Record<string, string> = {}

  constructor(test: RunCase) {
    this.test = test
    this.principal = test.principal ?? { user_id: 'starter', team_id: 'team', locale: 'en' }
    for (const [name, document] of Object.entries(test.workflows ?? {})) this.published.set(name, document)
  }

  play(): Observed {
    const checked = checkInput(this.test.spec.input ?? {}, this.test.input ?? {})
    if ('problems' in checked) throw new Error(`the input is refused: ${JSON.stringify(checked.problems)}`)
    const root = this.begin(this.test.spec, checked.value, null)
    let before: Record<string, string> = {}
    const trace: Observed['trace'] = []
    for (const entry of [null, ...this.test.script]) {
      const refused = entry === null ? false : this.happen(entry)
      this.settle()
      const states = this.snapshot(root)
      const steps = Object.fromEntries(Object.entries(states).filter(([label, state]) => state !== (before[label] ?? 'pending')))
      const { '': run, ...changed } = steps
      trace.push({ ...(run === undefined ? {} : { run }), steps: changed, states, calls: this.calls, refused })
      before = states
      this.calls = []
    }
    const { title } = this.titleOf(root)
    const outputs = Object.fromEntries(root.states.map((state) => [state.step.id, this.visible(state)]))
    const error = root.fault && { code: root.fault.code, ...(root.fault.step === undefined ? {} : { step: root.fault.step }) }
    const { flags, shown, undone } = this
    return { trace, status: root.status, error, output: root.output, title, outputs, flags, shown, undone }
  }

  titleOf(run: Run): { title: string | null } {
    const title = resolve(run.document.run_title ?? null, this.scope(run))
    return { title: title === null || typeof title === 'string' ? title : JSON.stringify(title) }
  }

  snapshot(root: Run): Record<string, string> {
    const states: Record<string, string> = { '': root.status }
    for (const run of this.runs) {
      if (run.prefix !== '') states[run.prefix] = run.status
      for (const state of run.states) {
        states[run.prefix + state.step.id] = state.status
        for (const item of state.items ?? []) states[run.prefix + item.label] = item.status
      }
    }
    return states
  }

  // --- What happens -----------------------------------------------------------------------------------------------------------------

  /** Lets one entry of the script happen. Returns whether it was refused. */
  happen(entry: Entry): boolean | string[] {
    const run = this.runs.find(({ prefix }) => prefix === (entry.run === undefined ? '' : `${entry.run}>`))
    if (!run) throw new Error(`there is no run '${entry.run}'`)
    if (entry.advance !== undefined) this.advance(entry.advance * 1000)
    else if (entry.decide !== undefined) return this.decideGate(entry)
    else if (entry.cancel) return this.cancel(run)
    else if (entry.redrive) return this.redrive(run, entry.redrive)
    else if (entry.record !== undefined) return this.record(entry)
    else if (entry.publish) for (const [name, document] of Object.entries(entry.publish)) this.published.set(name, document)
    else if (entry.model !== undefined) this.reply(this.underWay(entry.model, entry.attempt), entry)
    else if (entry.call !== undefined) this.endCall(entry)
    else throw new Error(`an entry that says nothing: ${JSON.stringify(entry)}`)
    return false
  }

  endCall(entry: Entry): void {
    const work = this.underWay(entry.call ?? '', entry.attempt)
    // What an attempt says that is not the current one any more changes nothing.
    if (entry.attempt !== undefined && (entry.attempt !== work.attempt || work.status !== 'running')) return
    const message = entry.message ?? 'as scripted'
    if (entry.error === 'fatal') this.failCall(work, 'fatal', 'failed', message)
    else if (entry.error === 'rate_limited') this.failCall(work, 'not_performed', 'rate_limited', message, entry.retry_after)
    else if (entry.error === 'transient' || entry.error === 'network') this.failCall(work, 'ambiguous', entry.error, message)
    else if (entry.error === 'lost') this.failCall(work, 'ambiguous', 'worker_lost', message)
    else {
      const flag = entry.output_not_json ? 'output_invalid' : (entry.output_length ?? 0) + 2 > MIB ? 'output_truncated' : null
      const output = entry.output_length === undefined ? (entry.output ?? null) : 'x'.repeat(entry.output_length)
      if (flag) this.flags[work.run.prefix + work.label] = flag
      this.succeedCall(work, flag ? null : output, entry.compensation)
    }
  }

  /** The call that is running under a label; with an attempt named, also one that has moved on. */
  underWay(label: string, attempt?: number): Work {
    const found = this.runs
      .flatMap((run) => this.worksOf(run))
      .find((work) => work.run.prefix + work.label === label && (work.status === 'running' || attempt !== undefined))
    if (!found) throw new Error(`no call '${label}' is running`)
    return found
  }

  stateOf(label: string): StepState {
    const found = this.runs
      .flatMap((run) => run.states.map((state) => ({ label: run.prefix + state.step.id, state })))
      .find((one) => one.label === label)
    if (!found) throw new Error(`there is no step '${label}'`)
    return found.state
  }

  advance(ms: number): void {
    this.now += ms
    for (const run of this.runs) {
      for (const work of this.worksOf(run)) {
        if (work.status === 'running' && !work.child && this.now - work.since >= this.timeoutOf(work) * 1000) {
          this.failCall(work, 'ambiguous', 'timeout', 'it took too long')
        } else if (work.status === 'running' && !work.child && this.isLeftBehind(work)) {
          this.failCall(work, 'ambiguous', 'aborted', 'it did not stop')
        }
      }
      for (const state of run.states) {
        if (state.status !== 'waiting') continue
        if (state.gate && this.now >= state.gate.expires) this.settleGate(run, state, 'expired')
        else if (state.deadline !== null && this.now >= state.deadline) this.wake(state)
      }
    }
  }

  /** A call that goes on though its run was cancelled: nobody waits for it longer than 30 s. */
  isLeftBehind({ body, told }: Work): boolean {
    return told !== null && /^(tool|job):/.test(body.uses) && this.now - told >= STOP_WITHIN_MS
  }

  timeoutOf({ body }: Work): number {
    return body.timeout_seconds ?? (body.uses === 'agent' ? 3600 : 300)
  }

  // --- Looking at everything again ------------------------------------------------------------------------------------------------------

  settle(): void {
    while (this.runs.some((run) => this.move(run)));
    for (const run of this.runs) {
      if (run.stopping || (run.status !== 'running' && run.status !== 'awaiting_approval')) continue
      run.status = this.isAsking(run) && !this.isBusy(run) ? 'awaiting_approval' : 'running'
    }
  }

  /** Does the first thing that can be done in a run; false where nothing can. */
  move(run: Run): boolean {
    return (
      this.decideSteps(run) ||
      this.moveMaps(run) ||
      this.takeWork(run) ||
      this.beginWork(run) ||
      this.rest(run) ||
      this.hearChildren(run) ||
      this.complete(run) ||
      this.undoNext(run)
    )
  }

  worksOf(run: Run): Work[] {
    const works = run.states.flatMap((state) => [...(state.work ? [state.work] : []), ...(state.items ?? [])])
    return [...works, ...works.flatMap((work) => work.turnCalls), ...(run.undo ? [run.undo] : [])]
  }

  childrenOf(run: Run): Run[] {
    return this.runs.filter((other) => other.parent?.run === run)
  }

  isBusy(run: Run): boolean {
    const own = this.worksOf(run).some(({ status }) => status === 'queued' || status === 'running')
    return (
      own ||
      this.childrenOf(run).some((child) => (child.status === 'running' || child.status === 'awaiting_approval') && this.isBusy(child))
    )
  }

  isAsking(run: Run): boolean {
    return (
      run.states.some((state) => state.gate && state.status === 'waiting') ||
      this.childrenOf(run).some((child) => child.status === 'awaiting_approval' || (child.status === 'running' && this.isAsking(child)))
    )
  }

  /** Workers take all that may start now, at once. */
  takeWork(run: Run): boolean {
    const due = this.worksOf(run).filter(({ status, due }) => status === 'queued' && due <= this.now)
    for (const work of due) {
      Object.assign(work, { since: this.now, told: null, first: work.first ?? this.now, fresh: true })
      this.setWork(work, 'running')
    }
    if (run.status === 'queued') {
      run.status = 'running'
      return true
    }
    return due.length > 0
  }

  beginWork(run: Run): boolean {
    const work = this.worksOf(run).find(({ status, fresh }) => status === 'running' && fresh)
    if (!work) return false
    work.fresh = false
    if (work.body.uses === 'agent') work.turn ||= 1
    else this.callHandler(work)
    return true
  }

  callHandler(work: Work): void {
    const [kind = '', tool = ''] = work.body.uses.split(':', 2)
    const declared = this.declarationOf(work.body.uses)
    if (!declared) return this.failCall(work, 'must_park', `unknown_${kind}`, `unknown ${kind} '${tool}'`)
    if (declared.denied) return this.failCall(work, 'must_park', 'denied', `'${tool}' may not be used`)
    if (this.takesSecret(work, declared))
      return this.failCall(work, 'fatal', 'secret_not_allowed', 'the tool does not declare this input secret')
    const input = this.inputOf(work, declared)
    if (
      isObject(input) &&
      declared.requires?.some((name) => own(input, name) === undefined || (input[name] === null && !declared.allows_null?.includes(name)))
    ) {
      return this.failCall(work, 'fatal', 'invalid_input', 'the tool cannot take this input')
    }
    const epoch = work.keyEpoch > 1 ? `#${work.keyEpoch}` : ''
    this.calls.push({ key: `${work.run.id}:${work.label}${epoch}`, tool, input, attempt: work.attempt })
    if (work.label.endsWith('/undo') && work.attempt === 1) this.undone.push(work.run.prefix + work.label.slice(0, -5))
    if (declared.echo) this.succeedCall(work, input, declared.compensation)
    else if (declared.returns !== undefined) this.succeedCall(work, declared.returns, declared.compensation)
  }

  declarationOf(uses: string): ToolDeclaration | undefined {
    const [kind = '', name = ''] = uses.split(':', 2)
    return own((kind === 'job' ? this.test.jobs : this.test.tools) ?? {}, name) as unknown as ToolDeclaration | undefined
  }

  inputOf(work: Work, declared: ToolDeclaration): Json {
    const given = work.body.with ?? {}
    const literal = work.label.includes('/t') || (work.of?.undo?.literal === true && work.label.endsWith('/undo'))
    const input = literal ? given : resolve(given, this.scopeOf(work))
    if (!isObject(input) || !(declared.requires || declared.allows_null)) return input
    const dropped = (name: string) => input[name] === null && !declared.requires?.includes(name) && !declared.allows_null?.includes(name)
    return Object.fromEntries(Object.entries(input).filter(([name]) => !dropped(name)))
  }

  takesSecret(work: Work, declared: ToolDeclaration): boolean {
    const fields = work.run.document.input ?? {}
    return Object.entries(work.body.with ?? {}).some(([name, value]) => {
      const input = typeof value === 'string' ? /^\$\{input\.([^.}]+)/.exec(value)?.[1] : undefined
      return input !== undefined && fields[input]?.secret === true && !declared.secret?.includes(name)
    })
  }

  scope(run: Run): Scope {
    const outputs = run.states.filter((state) => state.port !== null && (state.port !== undefined || state.status === 'failed'))
    const steps = Object.fromEntries(outputs.map((state) => [state.step.id, this.visible(state)]))
    return { input: run.input, steps, run: { id: run.id }, principal: this.principal }
  }

  /** What a call's values may refer to; in an undo, the step's output is that of what is undone. */
  scopeOf(work: Work): Scope {
    const scope = this.scope(work.run)
    const undone = work.label.endsWith('/undo') ? work.of : null
    const item = work.index === null ? {} : { item: work.item, index: work.index }
    return { ...scope, ...item, ...(undone ? { steps: { ...scope.steps, [work.state.step.id]: undone.output } } : {}) }
  }

  visible(state: StepState): Json {
    if (state.status !== 'failed') return state.output
    const { code = '', message = '' } = state.error ?? {}
    return { ...(isObject(state.output) ? state.output : {}), error: { code, message } }
  }

  // --- Steps ------------------------------------------------------------------------------------------------------------------------

  decideSteps(run: Run): boolean {
    if (run.stopping || (run.status !== 'running' && run.status !== 'awaiting_approval')) return false
    for (const state of run.states) {
      if (state.status !== 'pending') continue
      const entries = state.step.after.map((entry) => this.entryOf(run, entry))
      if (entries.includes('open')) continue
      const live = entries.filter((entry) => entry === 'live').length
      if (state.step.join === 'any' ? live > 0 : live === entries.length) this.start(run, state)
      else Object.assign(state, { status: 'skipped', port: null })
      return true
    }
    return false
  }

  entryOf(run: Run, entry: string): 'open' | 'live' | 'dead' {
    const [id = '', named] = entry.split('.')
    const source = run.states.find(({ step }) => step.id === id)
    if (!source || source.port === undefined) return 'open'
    return source.port === (named ?? (source.step.uses === 'approve' ? 'approved' : 'succeeded')) ? 'live' : 'dead'
  }

  isFollowed(run: Run, state: StepState, port: string): boolean {
    return run.document.steps.some(({ after }) => after.includes(`${state.step.id}.${port}`))
  }

  start(run: Run, state: StepState): void {
    const { step } = state
    if (step.uses === 'choice') return this.choose(run, state)
    if (step.uses === 'approve') return this.openGate(run, state)
    if (step.uses === 'wait') return this.beginWait(run, state)
    if (step.uses === 'map') return this.openMap(run, state)
    // Re-driven, it keeps what its key must say.
    const { keyEpoch = 1, ambiguous = false } = state.work ?? {}
    state.work = { ...this.newWork(run, state, step, null, null), keyEpoch, ambiguous }
    this.enqueue(state.work)
    state.status = state.work.status
  }

  newWork(run: Run, state: StepState, body: Body, index: number | null, item: Json): Work {
    const label = index === null ? state.step.id : `${state.step.id}:${index}`
    const times = { due: 0, since: 0, told: null, first: null }
    const marks = { fresh: false, ambiguous: false, mustPark: false, undoTried: false }
    const rest = { output: null, error: null, seq: 0, undo: null, of: null, child: null, turn: 0, turnCalls: [] }
    return { run, state, body, index, item, label, status: 'pending', attempt: 1, keyEpoch: 1, ...times, ...marks, ...rest }
  }

  enqueue(work: Work): void {
    if (work.body.uses.startsWith('workflow:')) return this.beginChild(work)
    this.setWork(work, 'queued')
    work.due = this.now
  }

  /** A call's state is its step's, unless it is an item, an undo or an agent's. */
  setWork(work: Work, status: string): void {
    work.status = status
    if (work.state.work === work) work.state.status = status
  }

  settleStep(state: StepState, port: string, output: Json): void {
    Object.assign(state, { status: 'succeeded', port, output })
  }

  failStep(run: Run, state: StepState, fault: Fault, mustPark: boolean): void {
    const error = { ...fault, step: state.step.id }
    Object.assign(state, { status: 'failed', error })
    if (!mustPark && this.isFollowed(run, state, 'failed')) state.port = 'failed'
    else this.stop(run, 'parked', error)
  }

  choose(run: Run, state: StepState): void {
    for (const { name, when } of state.step.branches ?? []) {
      const held = when ? holds(when, this.scope(run)) : true
      if (held === 'predicate_type_mismatch') return this.failStep(run, state, { code: held, message: '' }, true)
      if (held) return this.settleStep(state, name, { branch: name })
    }
    this.failStep(run, state, { code: 'no_branch', message: '' }, true)
  }

  beginWait(run: Run, state: StepState): void {
    const { seconds, until } = state.step
    const value = resolve(seconds ?? until ?? null, this.scope(run))
    const instant = typeof value === 'string' && isInstant(value) ? Date.parse(value) : null
    const deadline = seconds !== undefined ? (typeof value === 'number' ? this.now + value * 1000 : null) : instant
    if (deadline === null || deadline > this.now + YEAR_SECONDS * 1000) {
      return this.failStep(run, state, { code: 'wait_invalid', message: '' }, true)
    }
    Object.assign(state, { status: 'waiting', deadline })
    if (deadline <= this.now) this.wake(state)
  }

  wake(state: StepState): void {
    this.settleStep(state, 'succeeded', { waited_until: instant(state.deadline ?? 0) })
  }

  // --- Gates ------------------------------------------------------------------------------------------------------------------------

  openGate(run: Run, state: StepState): void {
    const { message, show, ttl_seconds: ttl } = state.step
    const scope = this.scope(run)
    this.shown[run.prefix + state.step.id] = { message: resolve(message ?? null, scope), show: resolve(show ?? {}, scope) }
    Object.assign(state, { status: 'waiting', gate: { expires: this.now + (ttl ?? 259_200) * 1000, votes: [] } })
  }

  decideGate(entry: Entry): boolean {
    const { decide = '', by = '', decision = 'approve', comment = null, channel = 'web' } = entry
    const state = this.stateOf(decide)
    const run = this.runs.find(({ states }) => states.includes(state))
    const { gate, step } = state
    if (!run || !gate || state.status !== 'waiting' || this.now >= gate.expires) return true
    const holders = this.test.roles ? (this.test.roles[step.role ?? ''] ?? []) : ['ana', 'ben', 'carl']
    if (!holders.includes(by)) return true
    if (by === this.principal.user_id && step.self_approval !== true) return true
    if (!(step.channels ?? ['web']).includes(channel)) return true
    if (gate.votes.some((vote) => vote.by === by)) return true
    const checked = decision === 'approve' ? checkInput(step.form ?? {}, entry.form ?? {}) : { value: null }
    if ('problems' in checked) return true
    const form = decision === 'approve' && step.form ? checked.value : null
    gate.votes.push({ by, decision, channel, comment, form, at: this.now })
    const approvals = gate.votes.filter((vote) => vote.decision === 'approve').length
    if (decision === 'reject') this.settleGate(run, state, 'rejected')
    else if (approvals >= (step.approvals ?? 1)) this.settleGate(run, state, 'approved')
    return false
  }

  settleGate(run: Run, state: StepState, port: 'approved' | 'rejected' | 'expired'): void {
    const votes = state.gate?.votes ?? []
    const last = port === 'expired' ? undefined : votes.at(-1)
    const approvals = votes.filter((vote) => vote.decision === 'approve')
    this.settleStep(state, port, {
      decision: port,
      decided_by: last?.by ?? null,
      channel: last?.channel ?? null,
      comment: last?.comment ?? null,
      form: last?.form ?? null,
      at: instant(last?.at ?? this.now),
      approvals: approvals.map((vote) => ({ decided_by: vote.by, channel: vote.channel, comment: vote.comment, at: instant(vote.at) })),
    })
    if (port === 'approved' || this.isFollowed(run, state, port)) return
    this.stop(run, 'rejected', { code: `approval_${port}`, message: '', step: state.step.id })
  }

  // --- Ends of calls ------------------------------------------------------------------------------------------------------------------

  succeedCall(work: Work, output: Json, returned?: { uses: string; with: JsonObject }): void {
    const { compensate } = work.body
    work.output = output
    work.undo = compensate
      ? { uses: compensate.uses, with: compensate.with ?? {}, literal: false }
      : returned
        ? { ...returned, literal: true }
        : null
    this.setWork(work, 'succeeded')
    if (work.label.endsWith('/undo')) return this.undoEnded(work)
    if (work.of) return this.turnEnded(work.of)
    work.seq = ++work.run.seq
    if (work.index === null) this.settleStep(work.state, 'succeeded', output)
  }

  failCall(work: Work, end: 'fatal' | 'must_park' | 'not_performed' | 'ambiguous', code: string, message: string, retryAfter = 0): void {
    const isUndo = work.label.endsWith('/undo')
    // What is on a worker when a run stops, or when too many items of its map have failed, ends and is not tried again.
    const stopping = !isUndo && (work.run.stopping !== null || (work.index !== null && work.state.failing !== null))
    const { max_attempts: most = 5, base_seconds: base = 1, max_seconds: max = 300 } = work.body.retry ?? {}
    if (end === 'ambiguous') {
      work.ambiguous = true
      if (this.declarationOf(work.body.uses)?.effect === 'once') return this.callFailed(work, { code: 'outcome_unknown', message }, true)
      if (stopping) return this.setWork(work, 'pending')
      if (work.attempt >= most) return this.callFailed(work, { code, message }, false)
      this.setWork(work, 'queued')
      work.due = this.now + (this.test.random ?? 1) * Math.min(max, base * 2 ** (work.attempt - 1)) * 1000
      work.attempt++
      return
    }
    if (end === 'not_performed') {
      if (stopping) return this.setWork(work, 'pending')
      const due = this.now + Math.max(1, retryAfter) * 1000
      if (due - (work.first ?? this.now) > DAY) return this.callFailed(work, { code, message }, false)
      this.setWork(work, 'queued')
      work.due = due
      return
    }
    this.callFailed(work, { code, message }, end === 'must_park')
  }

  /** A call failed for good. */
  callFailed(work: Work, fault: Fault, mustPark: boolean): void {
    Object.assign(work, { error: fault, mustPark })
    this.setWork(work, 'failed')
    if (work.label.endsWith('/undo')) return this.undoEnded(work)
    if (work.of) {
      // To a model an error or a denial is an answer; only what nobody can know stops the run.
      if (fault.code === 'outcome_unknown') this.callFailed(work.of, fault, true)
      else this.turnEnded(work.of)
    } else if (work.index === null) this.failStep(work.run, work.state, fault, mustPark)
    else if (mustPark) {
      work.state.failing ??= { fault, mustPark: true }
      this.stop(work.run, 'parked', { ...fault, step: work.state.step.id })
    }
  }

  // --- Maps -------------------------------------------------------------------------------------------------------------------------

  openMap(run: Run, state: StepState): void {
    const over = resolve(state.step.over ?? null, this.scope(run))
    if (state.items) state.status = 'waiting'
    else if (!Array.isArray(over)) this.failStep(run, state, { code: 'map_over_not_array', message: '' }, false)
    else if (over.length > 10_000) this.failStep(run, state, { code: 'map_too_large', message: '' }, false)
    else {
      const body = state.step.do ?? { uses: '' }
      state.items = over.map((item, index) => this.newWork(run, state, body, index, item))
      state.status = 'waiting'
    }
  }

  moveMaps(run: Run): boolean {
    return run.states.some((state) => state.status === 'waiting' && state.items !== null && this.moveMap(run, state, state.items))
  }

  moveMap(run: Run, state: StepState, items: Work[]): boolean {
    const { concurrency = 10, tolerate = 0 } = state.step
    const failures = items.filter(({ status }) => status === 'failed').length
    const ended = failures + items.filter(({ status }) => status === 'succeeded').length
    const underWay = items.filter(({ status }) => status === 'queued' || status === 'running' || status === 'waiting')
    if (!state.failing && failures > tolerate) state.failing = { fault: { code: 'map_failed', message: '' }, mustPark: false }
    if (state.failing || run.stopping) {
      for (const item of underWay) if (item.status === 'queued') item.status = 'pending'
    }
    if (state.failing ? underWay.some(({ status }) => status !== 'pending') : ended < items.length) {
      const next = items.find(({ status }) => status === 'pending')
      if (state.failing || run.stopping || !next || underWay.length >= concurrency) return false
      this.enqueue(next)
      return true
    }
    this.collectMap(run, state, items)
    return true
  }

  collectMap(run: Run, state: StepState, items: Work[]): void {
    for (const item of items) if (item.status === 'pending') item.status = 'skipped'
    const results = items.map((item) => (item.status === 'succeeded' ? item.output : null))
    const failed = items.flatMap(({ error, index, status }) =>
      status === 'failed' && error ? [{ index, error: { code: error.code, message: error.message } }] : [],
    )
    const tooLarge = bytesOf({ results, failed }) > 32 * MIB
    if (tooLarge) this.flags[run.prefix + state.step.id] = 'output_truncated'
    const output = tooLarge ? null : { results, failed }
    if (!state.failing) return this.settleStep(state, 'succeeded', output)
    state.output = output
    this.failStep(run, state, state.failing.fault, state.failing.mustPark)
  }

  // --- Children ---------------------------------------------------------------------------------------------------------------------

  begin(document: Document, input: JsonObject, parent: Work | null): Run {
    const place = parent ? `${parent.run.prefix}${parent.label}>` : ''
    const run: Run = {
      id: parent ? `RUN>${place.slice(0, -1)}` : 'RUN',
      prefix: place,
      document,
      input,
      status: 'queued',
      states: inOrder(document.steps).map((step) => this.newState(step)),
      stopping: null,
      fault: null,
      output: null,
      seq: 0,
      undoing: false,
      undo: null,
      parent,
      depth: parent ? parent.run.depth + 1 : 1,
      known: parent ? parent.run.known : new Map(this.published),
    }
    this.runs.push(run)
    return run
  }

  newState(step: Step): StepState {
    const nothing = { output: null, error: null, work: null, items: null, failing: null, gate: null, deadline: null }
    return { step, status: 'pending', port: undefined, ...nothing }
  }

  beginChild(work: Work): void {
    const [slug = '', version] = work.body.uses.slice('workflow:'.length).split('@')
    const versions = [...work.run.known.keys()].flatMap((name) =>
      name.startsWith(`${slug}@`) ? [Number(name.slice(slug.length + 1))] : [],
    )
    const document = work.run.known.get(`${slug}@${version ?? Math.max(...versions)}`)
    if (!document) return this.callFailed(work, { code: 'child_not_started', message: `there is no workflow '${slug}'` }, false)
    const checked = checkInput(document.input ?? {}, resolve(work.body.with ?? {}, this.scopeOf(work)))
    if ('problems' in checked) return this.callFailed(work, { code: 'child_not_started', message: 'its input is refused' }, false)
    if (this.test.denied?.includes(slug))
      return this.callFailed(work, { code: 'child_not_started', message: `'${slug}' may not be started` }, false)
    if (work.run.depth >= 8) return this.callFailed(work, { code: 'child_not_started', message: 'too deep' }, false)
    this.setWork(work, 'waiting')
    work.child = this.begin(document, checked.value, work)
  }

  hearChildren(run: Run): boolean {
    return this.childrenOf(run).some(
      (child) => child.parent?.child === child && child.parent.status === 'waiting' && this.hear(run, child.parent, child),
    )
  }

  hear(run: Run, work: Work, child: Run): boolean {
    const caught = this.isFollowed(run, work.state, 'failed')
    const fail = (code: string) => this.callFailed(work, { code, message: '' }, false)
    if (child.status === 'succeeded') this.succeedCall(work, child.output)
    else if (child.status === 'parked' && !child.stopping && caught && !run.stopping) this.cancel(child)
    else if (child.status === 'cancelled') {
      // It was cancelled because its parent was, or for itself.
      if (isOver(run.status) || (run.stopping && run.stopping.to !== 'parked')) this.setWork(work, 'cancelled')
      else fail(caught && child.fault ? 'child_parked' : 'child_cancelled')
    } else if (child.status === 'rejected') {
      if (caught || work.index !== null) fail('child_rejected')
      else {
        const error = { code: 'child_rejected', message: '', step: work.state.step.id }
        this.setWork(work, 'failed')
        work.state.error = error
        this.stop(run, 'rejected', error)
      }
    } else return false
    return true
  }

  // --- Agents -----------------------------------------------------------------------------------------------------------------------

  reply(agent: Work, { calls, answer, text, error, message = 'as scripted', retry_after: retryAfter }: Entry): void {
    if (error === 'fatal') return this.failCall(agent, 'fatal', 'failed', message)
    if (error === 'rate_limited') return this.failCall(agent, 'not_performed', 'rate_limited', message, retryAfter)
    if (error) return this.failCall(agent, 'ambiguous', error, message)
    if (!calls) {
      const fields = agent.body.output ?? {}
      if (Object.keys(fields).length === 0) return this.succeedCall(agent, { text: text ?? '' })
      const kept = Object.fromEntries(Object.entries(answer ?? {}).filter(([name]) => Object.hasOwn(fields, name)))
      const checked = checkInput(fields, kept)
      return 'value' in checked ? this.succeedCall(agent, checked.value) : this.turnEnded(agent, 'agent_output_invalid')
    }
    agent.turnCalls = calls.flatMap(({ tool, input }, i) => {
      const declared = this.declarationOf(`tool:${tool}`)
      const allowed = agent.body.tools?.includes(tool) && (agent.body.unattended === true || declared?.effect === 'read')
      if (!allowed) return []
      const body = { uses: `tool:${tool}`, with: isObject(input) ? input : {} }
      const call = {
        ...this.newWork(agent.run, agent.state, body, agent.index, agent.item),
        label: `${agent.label}/t${agent.turn}.${i + 1}`,
        keyEpoch: agent.keyEpoch,
        of: agent,
      }
      this.enqueue(call)
      return [call]
    })
    this.turnEnded(agent)
  }

  /** With all its calls answered, or its answer refused, a turn is over and the model is asked again. */
  turnEnded(agent: Work, exhausted = 'agent_turns_exhausted'): void {
    if (agent.status !== 'running' || agent.turnCalls.some(({ status }) => status === 'queued' || status === 'running')) return
    agent.turnCalls = []
    agent.turn++
    if (agent.turn > (agent.body.max_turns ?? 10)) this.callFailed(agent, { code: exhausted, message: '' }, false)
  }

  // --- The end of a run -----------------------------------------------------------------------------------------------------------------

  stop(run: Run, to: 'parked' | 'rejected' | 'cancelled', fault: Fault | null): void {
    if (run.stopping) {
      if (to !== 'cancelled' || run.stopping.to !== 'parked') return
      run.stopping = { to, fault }
    } else {
      run.status = 'running'
      run.stopping = { to, fault }
      for (const work of this.worksOf(run)) if (work.status === 'queued') this.setWork(work, 'pending')
      for (const state of run.states) if (state.status === 'waiting' && (state.gate || state.deadline !== null)) state.status = 'cancelled'
    }
    if (to !== 'parked') for (const child of this.childrenOf(run)) this.cancel(child)
  }

  /** With nothing on a worker any more, a run that is stopping takes its status. */
  rest(run: Run): boolean {
    const { stopping } = run
    if (!stopping) return false
    if (this.worksOf(run).some((work) => work.status === 'running' && work !== run.undo)) return false
    if (this.moveMaps(run) || this.hearChildren(run)) return true
    if (stopping.to !== 'parked' && this.childrenOf(run).some(({ status }) => !isOver(status))) return false
    for (const state of run.states) if (state.status === 'waiting' && state.items) state.status = 'cancelled'
    this.finish(run, stopping.to, stopping.fault)
    return true
  }

  finish(run: Run, status: 'parked' | 'rejected' | 'cancelled', fault: Fault | null): void {
    Object.assign(run, { status, fault, stopping: null })
    this.undoWhatStands(run)
  }

  undoWhatStands(run: Run): void {
    const unknown = this.worksOf(run).some(({ error }) => error?.code === 'outcome_unknown')
    if ((run.document.compensate_on ?? ['parked']).includes(run.status) && !unknown) run.undoing = true
  }

  complete(run: Run): boolean {
    if (run.stopping || (run.status !== 'running' && run.status !== 'awaiting_approval')) return false
    if (run.states.some(({ port }) => port === undefined)) return false
    run.status = 'succeeded'
    run.output = run.document.output === undefined ? null : resolve(run.document.output, this.scope(run))
    return true
  }

  cancel(run: Run): boolean {
    if (isOver(run.status)) return true
    for (const work of this.worksOf(run)) if (work.status === 'running') work.told ??= this.now
    if (run.status !== 'parked') {
      this.stop(run, 'cancelled', null)
      return false
    }
    // Children that live on under it end first. Why it had parked stays with it.
    run.stopping ??= { to: 'cancelled', fault: run.fault }
    for (const child of this.childrenOf(run)) this.cancel(child)
    return false
  }

  undoNext(run: Run): boolean {
    if (!run.undoing || run.undo) return false
    const standing = this.worksOf(run).filter((work) => work.status === 'succeeded' && work.undo && !work.undoTried && work.of === null)
    const last = standing.sort((a, b) => b.seq - a.seq)[0]
    if (!last?.undo) {
      run.undoing = false
      return true
    }
    last.undoTried = true
    const body = { uses: last.undo.uses, with: last.undo.with }
    run.undo = {
      ...this.newWork(run, last.state, body, last.index, last.item),
      label: `${last.label}/undo`,
      keyEpoch: last.keyEpoch,
      of: last,
    }
    this.enqueue(run.undo)
    return true
  }

  undoEnded(undo: Work): void {
    if (undo.status === 'succeeded' && undo.of) this.setWork(undo.of, 'compensated')
    undo.run.undo = null
  }

  // --- Re-driving -------------------------------------------------------------------------------------------------------------------

  redrive(run: Run, answers: Record<string, string>): boolean | string[] {
    if (run.status !== 'parked' || run.stopping || run.undoing) return true
    const again = this.toRepeat(run)
    const asked = [...again].filter((state) => state.status === 'succeeded' && state.work && this.effectOf(state.work) !== 'read')
    const missing = asked.filter(({ step }) => own(answers, step.id) === undefined)
    if (missing.length > 0) return missing.map(({ step }) => step.id)
    for (const state of again) if (own(answers, state.step.id) !== 'keep') this.renew(state)
    for (const state of run.states) {
      if (state.status !== 'cancelled') continue
      if (state.items) this.renew(state)
      else state.status = state.deadline === null ? 'pending' : 'waiting'
    }
    Object.assign(run, { status: 'running', fault: null })
    this.advance(0)
    return false
  }

  effectOf({ body }: Work): Effect {
    if (body.uses === 'agent') return body.unattended ? 'write' : 'read'
    return this.declarationOf(body.uses)?.effect ?? 'write'
  }

  /** Failed with nobody following that, compensated, and everything that depends on those. */
  toRepeat(run: Run): Set<StepState> {
    const undone = (state: StepState) =>
      state.status === 'compensated' || state.items?.some(({ status }) => status === 'compensated') === true
    const again = new Set(run.states.filter((state) => (state.status === 'failed' && state.port === undefined) || undone(state)))
    for (let size = -1; size !== again.size;) {
      size = again.size
      for (const state of run.states) {
        const before = new Set(state.step.after.map((entry) => entry.split('.')[0]))
        if ([...again].some(({ step }) => before.has(step.id))) again.add(state)
      }
    }
    return again
  }

  renew(state: StepState): void {
    const { work, items } = state
    Object.assign(state, { status: 'pending', port: undefined, output: null, error: null, failing: null, gate: null, deadline: null })
    if (work) this.raiseKey(work)
    for (const item of items ?? []) {
      if (item.status === 'succeeded') continue
      this.raiseKey(item)
      const { keyEpoch, ambiguous } = item
      Object.assign(item, { ...this.newWork(item.run, state, item.body, item.index, item.item), keyEpoch, ambiguous })
    }
  }

  /** The key changes only after an end that is known: then a repeat is a new effect. */
  raiseKey(work: Work): void {
    const known = work.status === 'compensated' || work.status === 'succeeded' || (work.status === 'failed' && !work.ambiguous)
    if (known) Object.assign(work, { keyEpoch: work.keyEpoch + 1, ambiguous: false })
  }

  /** A person says how a call ended of which nobody knew. With the last of them, what had to wait is undone. */
  record({ record, outcome, output = null }: Entry): boolean {
    const work = this.runs.flatMap((run) => this.worksOf(run)).find(({ run, label }) => run.prefix + label === record)
    if (work?.error?.code !== 'outcome_unknown' || (work.run.status !== 'parked' && !isOver(work.run.status))) return true
    work.error = outcome === 'succeeded' ? null : { code: 'not_performed', message: 'recorded by hand' }
    if (work.index === null) work.state.error = work.error
    if (outcome === 'succeeded') this.succeedCall(work, output)
    this.undoWhatStands(work.run)
    return false
  }
}

/** Steps as the canonical form lists them: again and again the first of those that wait for none that is left. */
function inOrder(steps: Step[]): Step[] {
  const ids = new Set(steps.map(({ id }) => id))
  const first = steps.find(({ after }) => after.every((entry) => !ids.has(entry.split('.')[0] ?? '')))
  return first ? [first, ...inOrder(steps.filter((step) => step !== first))] : []
}
const bytesOf = (value: Json) => new TextEncoder().encode(JSON.stringify(value)).length
const instant = (ms: number) => new Date(ms).toISOString()
const isOver = (status: string) => status === 'succeeded' || status === 'rejected' || status === 'cancelled'
