import type { Json } from '../json'
import type { Path } from '../problems'
import type { Fields } from '../schema'

/**
 * Every code a warning can carry, with what it means. The list is closed: people and programs match on it, so a code is never
 * renamed, and a new rule gets a new code. A warning never blocks: what it says may be meant, or may have changed by the time of a run.
 */
export const WARNING_MEANINGS = {
  unknown_tool: 'No plugin that is loaded here brings this tool: a run stops at the step.',
  unknown_job: 'No plugin that is loaded here brings this kind of job: a run stops at the step.',
  unknown_workflow: 'The team has no workflow with this slug: a run fails at the step.',
  unknown_role: 'Nobody in the team has this role: the approval would expire.',
  input_missing: 'The tool, job or workflow that is called requires an input that `with` does not give.',
  input_unknown: 'The tool, job or workflow that is called knows no such input.',
  input_mismatch: 'A value in `with` can never fit the input of what is called, by its type, its range or the values that are allowed.',
  secret_not_accepted: 'A secret input is given to a tool where the tool does not declare a secret: the call fails.',
  unknown_path: 'A reference goes along a path that what it refers to never has, so that it is always null.',
  effect_not_shown: 'A step behind an approval changes something with a value that the approval neither shows nor mentions.',
  gate_can_be_skipped: 'A step behind an approval, which may change something, can also be reached without it.',
  step_never_starts: 'No run comes to a step: what it waits for cannot all happen in one run.',
  approval_unused: 'Nothing waits for an approval, and something may be changed without it: it holds nothing back.',
  unattended_agent: 'An agent may call tools that change something, without asking anyone.',
  result_unused: 'A step only reads, and nobody follows it or uses what it read.',
  secret_literal: 'A text looks like a password or key: everybody who may see the workflow sees it.',
  more_warnings: 'The list was cut: there are more warnings than anybody would read.',
} as const

export type WarningCode = keyof typeof WARNING_MEANINGS
export const WARNING_CODES = Object.keys(WARNING_MEANINGS) as WarningCode[]

/** Something about a valid document that may be a mistake. `path` is a JSON Pointer (RFC 6901) to it. */
export interface Warning {
  code: WarningCode
  path: string
  message: string
  hint?: string
}

export type Warn = (code: WarningCode, path: Path, message: string, hint?: string) => void

interface CallFacts {
  title: string
  /** JSON Schemas (2020-12) of what goes in and what comes out. */
  input: Json
  output: Json
}

/** What is known of the world that a document names. An absent member means that it is not known: nothing is said about it. */
export interface Catalogue {
  tools?: ReadonlyMap<string, CallFacts & { effect: 'read' | 'write' | 'once' }>
  jobs?: ReadonlyMap<string, CallFacts & { effect?: 'read' | 'write' | 'once' }>
  /** By slug, as they are now. `output` lists the names in a workflow's output. */
  workflows?: ReadonlyMap<string, { title: string; input: Fields; output?: readonly string[] | undefined; version?: number }>
  /** The roles that somebody has. */
  roles?: ReadonlySet<string>
}
