import type { Observed, RunCase } from './reference-runner'

/** What a run showed against what its case expects, as texts; empty where the case passes. README.md says what is compared how. */
export function differences(test: RunCase, seen: Observed): string[] {
  const { expect: wanted } = test
  const found: string[] = []
  const compare = (what: string, expected: unknown, actual: unknown) => {
    if (text(expected) !== text(actual)) found.push(`${what}: expected ${text(expected)}, saw ${text(actual)}`)
  }
  compare('entries of the trace', test.script.length + 1, wanted.trace.length)
  const everyCall = wanted.trace.some(({ calls }) => calls !== undefined)
  seen.trace.forEach((entry, i) => {
    const { run, steps = {}, calls = [] } = wanted.trace[i] ?? {}
    const after = i === 0 ? 'after the start' : `after entry ${i}`
    compare(`run ${after}`, run, entry.run)
    compare(`steps ${after}`, onlySteps(steps), onlySteps(entry.steps))
    for (const [label, state] of Object.entries(steps)) compare(`${label} ${after}`, state, entry.states[label])
    compare(`refused ${after}`, test.script[i - 1]?.refused ?? false, entry.refused)
    if (everyCall) compare(`calls ${after}`, sorted(calls), sorted(entry.calls.map((call) => named(call, calls))))
  })
  compare('status', wanted.status, seen.status)
  if (wanted.error !== undefined) compare('error', wanted.error, wanted.error && seen.error ? pick(seen.error, wanted.error) : seen.error)
  if (wanted.output !== undefined) compare('output', wanted.output, seen.output)
  if (wanted.title !== undefined) compare('title', wanted.title, seen.title)
  if (wanted.undone !== undefined) compare('undone', wanted.undone, seen.undone)
  for (const [step, output] of Object.entries(wanted.outputs ?? {})) compare(`output of ${step}`, output, seen.outputs[step])
  for (const [step, flag] of Object.entries(wanted.flags ?? {})) compare(`flag of ${step}`, flag, seen.flags[step])
  for (const [gate, shown] of Object.entries(wanted.shown ?? {})) compare(`what ${gate} shows`, shown, seen.shown[gate])
  return found
}

/** Items and child runs are compared where a case lists them; steps of the run itself exactly. */
const onlySteps = (states: Record<string, string>) => Object.fromEntries(Object.entries(states).filter(([label]) => !/[:>]/.test(label)))

/** A call with only what the case says of the call with its key. */
function named<Call extends { key: string }>(call: Call, wanted: readonly { key: string }[]): object {
  return pick(call, wanted.find(({ key }) => key === call.key) ?? call)
}

const pick = (from: object, like: object) => Object.fromEntries(Object.entries(from).filter(([key]) => Object.hasOwn(like, key)))
const isPlain = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
const sorted = (calls: unknown[]) => calls.map(text).sort()

/** JSON with sorted keys, and without the message of an error: its words are free. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (!isPlain(inner)) return inner
    const members = Object.entries(inner).filter(([key]) => key !== 'message' || !Object.hasOwn(inner, 'code'))
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
