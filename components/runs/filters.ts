import { RUN_STATUSES, type RunStatus } from '@/spec/status'

/** What the list is narrowed to; all of it stands in the address. */
export type RunFilters = { status: RunStatus | null; slug: string | null; mine: boolean }

type SearchParams = Record<string, string | string[] | undefined>

/** Reads the address. What it does not know it leaves out: an old link still shows a list. */
export function filtersFrom(params: SearchParams): RunFilters {
  const one = (name: string) => (typeof params[name] === 'string' ? params[name] : undefined)
  const status = RUN_STATUSES.find((known) => known === one('status')) ?? null
  return { status, slug: one('workflow')?.slice(0, 64) || null, mine: one('mine') === '1' }
}

/** The address's query for filters, empty where nothing is narrowed. */
export function filtersQuery({ status, slug, mine }: RunFilters): string {
  const query = new URLSearchParams()
  if (status !== null) query.set('status', status)
  if (slug !== null) query.set('workflow', slug)
  if (mine) query.set('mine', '1')
  return query.size === 0 ? '' : `?${query}`
}

export const isFiltered = ({ status, slug, mine }: RunFilters) => status !== null || slug !== null || mine

/** What `runs.list` takes. */
export const listInput = (team: string, { status, slug, mine }: RunFilters) => ({
  team,
  ...(status === null ? {} : { status: [status] }),
  ...(slug === null ? {} : { slug }),
  ...(mine ? { mine } : {}),
})
