import type { z } from 'zod'
import type { Json, JsonObject } from '../json'
import type { Path, Report } from '../problems'

/** What a value position may refer to, beyond declared inputs, the run, the principal and the step's ancestors. */
export interface ReferenceRules {
  /** The step's own output, as in its `compensate`. */
  self?: boolean
  /** `${item}` and `${index}`, as in a map's `do`. */
  item?: boolean
  /** A secret input: only in a tool's input, which may declare it secret. */
  secret?: boolean
  /** The whole value must be one reference (`left`). */
  only?: boolean
  /** The whole value may be one reference, but a literal must hold none (`right`). */
  whole?: boolean
}

/**
 * One kind of step. Everything the format knows about it stands here; a kind that lacks a part does not compile.
 */
export interface Kind<Step> {
  /** Its fields in canonical order, with types, limits and defaults. */
  schema: z.ZodObject
  /** The ports a step of this kind has. Must survive fields of any type, as `check` must. */
  ports: (step: Step) => readonly string[]
  /** What a plain `id` in `after` means, or null where a port must be named. */
  defaultPort: string | null
  /** Defaults that depend on other fields of the step (the fixed ones are in the schema). */
  dependentDefaults: (step: Step) => Record<string, Json>
  /** What a value at `path` (below the step) may refer to. Must survive fields of any type, as `check` must. */
  references: (path: Path, raw: JsonObject) => ReferenceRules
  /** The rules that a schema cannot say. Must survive fields of any type. */
  check: (raw: Record<string, Json>, path: Path, report: Report) => void
}
