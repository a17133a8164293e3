import { nearest, shorten } from './problems'

/** What other formats call a field, and what it is called here. */
const FIELD_SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['compensation', ['compensate']],
  ['undo', ['compensate']],
  ['rollback', ['compensate']],
  ['depends_on', ['after']],
  ['dependsOn', ['after']],
  ['needs', ['after']],
  ['requires', ['after']],
  ['args', ['with']],
  ['arguments', ['with']],
  ['params', ['with']],
  ['parameters', ['with']],
  ['inputs', ['input', 'with']],
  ['outputs', ['output']],
  ['name', ['title', 'id']],
  ['prompt', ['goal']],
  ['expires', ['ttl_seconds']],
  ['foreach', ['over']],
  ['items', ['over']],
])

/** What other languages write for an operator. */
const OPERATOR_SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['===', 'eq'],
  ['equals', 'eq'],
  ['!=', 'ne'],
  ['!==', 'ne'],
  ['neq', 'ne'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['in', 'contains'],
  ['includes', 'contains'],
])
const AT_LEAST = new Set(['gte', 'ge', '>=', '=>'])
const AT_MOST = new Set(['lte', 'le', '<=', '=<'])

/** What an unknown field may have been meant to be, of those that are known at its place; undefined where nothing is like it. */
export function fieldHint(name: string, known: readonly string[]): string | undefined {
  const meant = FIELD_SYNONYMS.get(name)?.find((field) => known.includes(field)) ?? known.find((field) => field.startsWith(`${name}_`))
  return meant === undefined ? nearest(name, known) : `did you mean '${meant}'?`
}

/** The same of a predicate's operator. One that spec 1 does not have must not be taken for a near one that says something else. */
export function operatorHint(name: string, known: readonly string[]): string {
  const [reverse, words] = AT_LEAST.has(name) ? ['lt', 'at least'] : AT_MOST.has(name) ? ['gt', 'at most'] : []
  const offered = `the operators are ${known.join(', ')}`
  if (reverse !== undefined) return `${offered}; '${words}' is what is left for the branches after one with '${reverse}'`
  const meant = OPERATOR_SYNONYMS.get(name)
  return meant === undefined ? (nearest(name, known) ?? offered) : `did you mean '${meant}'?`
}

/** The ports that an entry of `after` can name. Names may be anything in a document that is checked. */
export function portsHint(id: string, ports: readonly string[]): string {
  if (ports.length === 0) return `'${id}' has none yet: each of its 'branches' makes one`
  const shown = ports.slice(0, 50).map((name) => `${id}.${shorten(name)}`)
  return `${shown.join(', ')}${ports.length > shown.length ? ' …' : ''}`
}
