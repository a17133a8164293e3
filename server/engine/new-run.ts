import { resolveValue } from '@/spec'
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
