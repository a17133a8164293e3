import { resolveValue, type Field, type Fields } from '@/spec'
import type { Plan } from './model'
import { scopeOf } from './scope'

const TITLE_MAX = 200

/** What a run is called in lists: `run_title`, resolved once. Data: hidden from whoever may not read data. */
export function titleOf(plan: Plan, run: Parameters<typeof scopeOf>[0]): string | null {
  if (plan.spec.run_title === undefined) return null
  const title = resolveValue(plan.spec.run_title, scopeOf(run, new Map()))
  if (title === null) return null
  const text = (typeof title === 'string' ? title : JSON.stringify(title)).replaceAll(/\s+/g, ' ').trim()
  return text === '' ? null : text.slice(0, TITLE_MAX).toWellFormed()
}

/** Whether a run of this document would have to keep a secret. */
export function asksForSecret(plan: Plan): boolean {
  return hasSecret(plan.spec.input ?? {})
}

function hasSecret(fields: Fields): boolean {
  const isSecret = (field: Field): boolean =>
    field.secret === true || (field.items !== undefined && isSecret(field.items)) || hasSecret(field.properties ?? {})
  return Object.values(fields).some(isSecret)
}
