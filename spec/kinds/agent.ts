import { z } from 'zod'
import { isObject, type Json } from '../json'
import { type Path, type Report, reportDuplicates } from '../problems'
import { attemptFields, DAY_SECONDS, FIELDS, STEP_FIELDS, TOOL_NAME, VALUE } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

export const AGENT_DEFAULTS = { unattended: false, max_turns: 10, timeout_seconds: 3600 } as const

/** What an agent is asked for, in a step and in a map's `do`. */
export const AGENT_BODY = {
  uses: z.literal('agent'),
  goal: VALUE,
  context: VALUE.optional(),
  tools: z.array(TOOL_NAME).default([]),
  unattended: z.boolean().default(AGENT_DEFAULTS.unattended),
  max_turns: z.int().min(1).max(50).default(AGENT_DEFAULTS.max_turns),
  output: FIELDS.default({}),
  ...attemptFields(DAY_SECONDS, AGENT_DEFAULTS.timeout_seconds),
}

const schema = z.strictObject({ ...STEP_FIELDS, ...AGENT_BODY })
export type AgentStep = z.input<typeof schema>

export const agent: Kind<AgentStep> = {
  schema,
  ports: () => PORTS.agent,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: ([field]) => (field === 'compensate' ? { self: true, secret: true } : {}),
  check: checkAgent,
}

/** The rules of an agent's body, of a step or of a map's `do`. */
export function checkAgent(raw: Record<string, Json>, path: Path, report: Report): void {
  reportDuplicates(raw.tools, [...path, 'tools'], report)
  checkAnswers(raw.output, [...path, 'output'], report)
}

/** What a model must answer can neither be given beforehand nor be a secret, at any depth. */
function checkAnswers(fields: Json | undefined, path: Path, report: Report): void {
  if (!isObject(fields)) return
  for (const [name, field] of Object.entries(fields)) checkAnswer(field, [...path, name], report)
}

function checkAnswer(field: Json | undefined, path: Path, report: Report): void {
  if (!isObject(field)) return
  if (field.default !== undefined) report('field_not_allowed', [...path, 'default'], "an agent's output takes no default")
  if (field.secret === true) report('field_not_allowed', [...path, 'secret'], "an agent's output cannot be secret: the model writes it")
  checkAnswer(field.items, [...path, 'items'], report)
  checkAnswers(field.properties, [...path, 'properties'], report)
}
