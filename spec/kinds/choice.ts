import { z } from 'zod'
import { isObject } from '../json'
import { shorten } from '../problems'
import { LIMITS, NAME, STEP_FIELDS, VALUE } from '../schema'
import type { Kind } from './kind'

const OPERATORS = ['eq', 'ne', 'lt', 'gt', 'contains', 'exists', 'empty'] as const
const KNOWN = new Set<unknown>(OPERATORS)
const UNARY = new Set<unknown>(['exists', 'empty'])

const predicate = z.strictObject({ left: VALUE, op: z.enum(OPERATORS), right: VALUE.optional() })
export type Predicate = z.input<typeof predicate>

const schema = z.strictObject({
  ...STEP_FIELDS,
  uses: z.literal('choice'),
  branches: z
    .array(z.strictObject({ name: NAME, when: predicate.optional() }))
    .min(1)
    .max(LIMITS.branches),
})
export type ChoiceStep = z.input<typeof schema>

export const choice: Kind<ChoiceStep> = {
  schema,
  ports: (step) => {
    const branches: unknown = step.branches
    if (!Array.isArray(branches)) return []
    return branches.flatMap((branch: unknown) => (isObject(branch) && typeof branch.name === 'string' ? [branch.name] : []))
  },
  defaultPort: null,
  dependentDefaults: () => ({}),
  references: (path) => {
    if (path.at(-1) === 'left') return { only: true }
    return { whole: true }
  },
  check: (raw, path, report) => {
    if (!Array.isArray(raw.branches)) return
    const branches = raw.branches
    const names = new Set<unknown>()
    branches.forEach((branch, i) => {
      if (!isObject(branch)) return
      const at = [...path, 'branches', i]
      if (typeof branch.name === 'string' && names.has(branch.name)) {
        report('duplicate_id', [...at, 'name'], `another branch is already called '${shorten(branch.name)}'`)
      }
      names.add(branch.name)
      if (branch.when === undefined && i < branches.length - 1) {
        report('missing_field', [...at, 'when'], "'when' is missing: only the last branch may be taken without a condition")
      }
      if (!isObject(branch.when)) return
      const unary = UNARY.has(branch.when.op)
      if (unary && branch.when.right !== undefined) {
        report('field_not_allowed', [...at, 'when', 'right'], `'${String(branch.when.op)}' takes no 'right'`)
      }
      if (!unary && KNOWN.has(branch.when.op) && branch.when.right === undefined) {
        report('missing_field', [...at, 'when', 'right'], `'right' is missing: '${String(branch.when.op)}' compares with it`)
      }
    })
  },
}
