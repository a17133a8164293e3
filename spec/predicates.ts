import { equal, isObject, type Json } from './json'
import type { ChoiceStep, Predicate } from './kinds/choice'
import { resolveValue, type Scope } from './references'

export type PredicateResult = { ok: true; value: boolean } | { ok: false; code: 'predicate_type_mismatch'; message: string }
export type BranchResult = { ok: true; branch: string } | { ok: false; code: 'no_branch' | 'predicate_type_mismatch'; message: string }

/** Evaluates one condition. A combination of types it does not define is a mismatch, never quietly false. */
export function evaluatePredicate(predicate: Predicate, scope: Scope): PredicateResult {
  const left = resolveValue(predicate.left, scope)
  const right = predicate.right === undefined ? null : resolveValue(predicate.right, scope)
  switch (predicate.op) {
    case 'eq':
      return holds(equal(left, right))
    case 'ne':
      return holds(!equal(left, right))
    case 'lt':
    case 'gt':
      if ((typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string')) {
        return holds(predicate.op === 'lt' ? left < right : left > right)
      }
      return mismatch(predicate, left, right)
    case 'contains':
      if (Array.isArray(left)) return holds(left.some((item) => equal(item, right)))
      if (typeof left === 'string' && typeof right === 'string') return holds(left.includes(right))
      return mismatch(predicate, left, right)
    case 'exists':
      return holds(left !== null)
    case 'empty':
      return holds(isEmpty(left))
  }
}

/** The first branch of a choice that holds; later ones are not looked at. */
export function takeBranch(step: ChoiceStep, scope: Scope): BranchResult {
  for (const branch of step.branches) {
    if (branch.when === undefined) return { ok: true, branch: branch.name }
    const result = evaluatePredicate(branch.when, scope)
    if (!result.ok) return { ...result, message: `branch '${branch.name}': ${result.message}` }
    if (result.value) return { ok: true, branch: branch.name }
  }
  return { ok: false, code: 'no_branch', message: `no branch of '${step.id}' holds` }
}

function holds(value: boolean): PredicateResult {
  return { ok: true, value }
}

// Types only: the message is stored with the run and may be read by people who must not see its data.
function mismatch(predicate: Predicate, left: Json, right: Json): PredicateResult {
  return {
    ok: false,
    code: 'predicate_type_mismatch',
    message: `'${predicate.op}' cannot compare ${typeName(left)} with ${typeName(right)}`,
  }
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : `a ${typeof value}`
}
