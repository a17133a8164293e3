import type { Json } from '../json'
import type { ChoiceStep } from '../kinds/choice'
import { referencesIn } from '../references'
import type { Speech } from './speech'

/** Conditions that are told in one sentence; a decision of more is told by the names of its ways. */
const TOLD = 3

/** When a branch is taken: its own condition, after those before it did not hold. The ways of long decisions are only named. */
export function branchWords(step: ChoiceStep, branch: string, speech: Speech): string {
  return branchesWords(step, new Set([branch]), speech)
}

/** When one of these branches is taken. What they have in common is said once, and nothing of those that are all the same among them. */
export function branchesWords(step: ChoiceStep, branches: ReadonlySet<string>, speech: Speech): string {
  const cases = casesOf(step, branches, speech)
  if (cases.length > 0 && cases.flat().length <= TOLD && cases.every((words) => words.length > 0) && !isAlike(step, speech))
    return speech.list(
      cases.map((words) => speech.list(words)),
      'disjunction',
    )
  const names = [...branches].map((branch) => speech.quoted(branch))
  return speech.messages.branchTaken(speech.step(step.id), speech.some(names, 'disjunction'))
}

/** Whether a decision's ways are at times called by their names, which must then be told with it. */
export function isNamed(step: ChoiceStep, speech: Speech): boolean {
  return step.branches.length > TOLD || isAlike(step, speech)
}

/** Whether two of its conditions read the same, as those over fixed details do. */
function isAlike(step: ChoiceStep, speech: Speech): boolean {
  const words = step.branches.flatMap(({ when }) =>
    when === undefined ? [] : [speech.messages.predicates[when.op](speech.value(when.left), speech.value(when.right ?? null))],
  )
  return new Set(words).size < words.length
}

/** One of these holds, each part of it: of a branch only what tells it from those before it that are none of these. */
function casesOf(step: ChoiceStep, branches: ReadonlySet<string>, speech: Speech): string[][] {
  const { messages } = speech
  const others = (at: number) => step.branches.slice(0, at).filter(({ name }) => !branches.has(name))
  const last = step.branches.findIndex(({ name, when }) => when === undefined && branches.has(name))
  const firstOwn = step.branches.findIndex(({ name }) => branches.has(name))
  const isRest = last >= 0 && step.branches.slice(firstOwn).every(({ name }) => branches.has(name))
  return step.branches.flatMap((branch, at) => {
    if (!branches.has(branch.name) || (isRest && at !== last)) return []
    const own = branch.when
    const parts = others(at).flatMap(({ when }) => {
      // What is one thing is no other: that need not be said.
      const implied = own?.op === 'eq' && when?.op === 'eq' && own.left === when.left && isLiteral(own.right) && isLiteral(when.right)
      return when === undefined || implied ? [] : [messages.negated[when.op](speech.value(when.left), speech.value(when.right ?? null))]
    })
    if (own !== undefined) parts.push(messages.predicates[own.op](speech.value(own.left), speech.value(own.right ?? null)))
    return [parts]
  })
}

const isLiteral = (value: Json | undefined) => referencesIn(value ?? null).length === 0
