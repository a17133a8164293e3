import { z } from 'zod'
import { agentSettings, fieldsToJsonSchema, type Json } from '@/spec'
import { audit, inTeam } from '../../auth/audit'
import { ClewError, notFound } from '../../errors'
import { callables } from '../../store/postgres/policies'
import { getRun as readRun } from '../../store/postgres/read-runs'
import type { Ctx } from '../context'
import { demand, enter } from '../enter'
import { id, knownId, slug, json } from '../input'
import { storedSpec } from '../workflows/spec'

const call = { team: slug, id, step: z.string().max(64), item: z.int().min(-1).max(10_000).default(-1) }

export const outcomeFormInput = z.object(call)
export const outcomeFormOutput = z.object({
  /** JSON Schema of what the call returns; null where no loaded plugin says so. */
  outputSchema: z.json().nullable(),
})

export const recordOutcomeInput = z.object({
  ...call,
  /** Did it happen? */
  happened: z.boolean(),
  /** What it returned, where it happened. */
  output: json.optional(),
})
export const recordOutcomeOutput = z.object({ id: z.string(), status: z.string() })

/** What has to be filled in to record how a call ended. */
export async function outcomeForm(ctx: Ctx, input: z.output<typeof outcomeFormInput>): Promise<z.output<typeof outcomeFormOutput>> {
  const { outputSchema } = await entered(ctx, input)
  return { outputSchema }
}

/**
 * Records by hand how a call ended of which nobody knew whether it happened. What had to wait for that is then undone.
 * @throws {ClewError} `invalid_input` with pointers into `output`; `conflict` when this outcome is known
 */
export async function recordOutcome(ctx: Ctx, input: z.output<typeof recordOutcomeInput>): Promise<z.output<typeof recordOutcomeOutput>> {
  const { access, run, outputSchema } = await entered(ctx, input)
  const { db, engine, principal } = ctx
  const { step: stepId, item, happened, output = null } = input
  if (happened) check(outputSchema, output)
  const outcome = happened ? { happened, output } : { happened }
  const done = await engine.recordOutcome(run.id, { by: principal.person.id, stepId, item, outcome })
  if (!done.ok && done.reason === 'not_found') throw notFound()
  if (!done.ok && done.reason === 'too_large') throw new ClewError('too_large', 'The output is over 1 MiB.')
  if (!done.ok) throw new ClewError('conflict', 'It is known how this ended, or the run still moves.')
  await audit(
    db,
    principal.person.id,
    inTeam(access),
    'run.outcome_recorded',
    { type: 'run', id: run.id },
    { step: stepId, item, happened },
  )
  return { id: run.id, status: (await readRun(db, access.teamId, run.id))?.status ?? run.status }
}

async function entered(ctx: Ctx, input: { team: string; id: string; step: string }) {
  const access = await enter(ctx, 'run.read_shape', input.team)
  const run = await readRun(ctx.db, access.teamId, knownId(input.id))
  if (!run) throw notFound()
  await demand(ctx, 'run.record_outcome', access, {})
  const step = storedSpec(run.spec).steps.find(({ id }) => id === input.step)
  if (!step) throw notFound()
  const uses = 'do' in step ? step.do.uses : step.uses
  const outputSchema: Json | null =
    uses === 'agent' ? answerSchema('do' in step ? step.do : step) : ((await callables(ctx.db, [uses])).get(uses)?.outputSchema ?? null)
  return { access, run, outputSchema }
}

/** An agent's answer, when it is a person who gives it. */
function answerSchema(agent: object): Json {
  const { output } = agentSettings(agent)
  return fieldsToJsonSchema(output ?? { text: { type: 'string' } })
}

/** What the call says it returns, where a plugin says so in a way that can be checked here. */
function check(outputSchema: Json | null, output: Json): void {
  if (typeof outputSchema !== 'object' || outputSchema === null || Array.isArray(outputSchema)) return
  const parsed = schemaOf(outputSchema as JSONSchema)?.safeParse(output)
  if (!parsed || parsed.success) return
  const problems = parsed.error.issues.map(({ path, message }) => ({
    code: 'output_mismatch',
    path: ['output', ...path].map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: message.replace(/^Invalid input: /, ''),
  }))
  throw new ClewError('invalid_input', 'This is not what the step returns.', { problems })
}

type JSONSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>

function schemaOf(schema: JSONSchema): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema)
  } catch {
    return null // a schema of the plugin's that goes beyond what is understood here
  }
}
