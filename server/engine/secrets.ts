import { hideSecrets, secretReferences, secretsAt, type Json } from '@/spec'
import type { Call } from './call'
import { fatal, type Failure } from './failure'
import type { Plan } from './model'
import type { Given, Ports, RunRecord, Sealer, Tool } from './ports'
import { refersToInput } from './scope'

/*
 * The secrets of a run's input. They are sealed before the run is stored and opened for one call at a time, just before its handler: in
 * between there is only what `HIDDEN` and an envelope say.
 */

type Input = Record<string, Json>
export type Sealed = { input: Input; secrets: Record<string, string> | null }

/** An envelope opens for the same input of the same run only. */
const about = (runId: string, name: string) => JSON.stringify(['run input', runId, name])

/** The input as it is stored, and the envelopes of what is secret in it. Each holds its input whole, with what is not secret. */
export function sealInput(sealer: Sealer, plan: Plan, runId: string, input: Input): Sealed {
  if (plan.secrets === null) return { input, secrets: null }
  const secret = Object.entries(input).filter(([name]) => secretsAt(plan.secrets, name) !== null)
  const secrets = secret.map(([name, value]) => [name, sealer.seal(JSON.stringify(value), about(runId, name))])
  return { input: hideSecrets(plan.secrets, input) as Input, secrets: secret.length === 0 ? null : Object.fromEntries(secrets) }
}

/** Whether a run was started with this input, its secrets included. False where they cannot be opened. */
export function isInputOf(sealer: Sealer, plan: Plan, run: Pick<RunRecord, 'id'> & Given, given: Input): boolean {
  if (JSON.stringify(hideSecrets(plan.secrets, given)) !== JSON.stringify(run.input)) return false
  return Object.entries(run.secrets ?? {}).every(([name, sealed]) => {
    const opened = sealer.open(sealed, about(run.id, name))
    return opened.ok && opened.text === JSON.stringify(given[name])
  })
}

/** The run's input for this call, where it refers to it: with the secrets that the call refers to, where the tool declares secret where they go. */
export async function inputFor(
  { sealer }: Pick<Ports, 'sealer'>,
  { plan, run, call, tool }: { plan: Plan; run: RunRecord; call: Call; tool: Tool },
): Promise<{ input: Input } | { failure: Failure }> {
  const references = call.literal ? [] : secretReferences(call.with, plan.secrets, tool.secrets ?? null)
  const astray = references.find(({ allowed }) => !allowed)
  if (astray) return { failure: fatal('secret_not_allowed', notDeclared(astray.reference.name, call)) }
  if (call.literal || !refersToInput(call.with)) return { input: {} }
  const { input: kept, secrets } = await run.given()
  const input = { ...kept }
  for (const name of new Set(references.map(({ reference }) => reference.name))) {
    const sealed = secrets?.[name]
    if (sealed === undefined) continue
    const opened = sealer.open(sealed, about(run.id, name))
    if (!opened.ok) return { failure: fatal('secret_unreadable', UNREADABLE[opened.why](name, opened.keyId), true) }
    input[name] = JSON.parse(opened.text) as Json
  }
  return { input }
}

const notDeclared = (name: string, { kind, name: called }: Call) =>
  `The input '${name}' is secret, and the ${kind} '${called}' does not declare secret what it was to be given as.`

const UNREADABLE = {
  unknown_key: (name: string, keyId: string) =>
    `The secret input '${name}' was sealed with a key that is not known here (${keyId}). The operator puts the CLEW_SECRET of that time into CLEW_SECRET_RETIRED and starts Clew again; then re-drive this run.`,
  damaged: (name: string) => `The secret input '${name}' does not open: what is stored was changed, or is of another run.`,
}
