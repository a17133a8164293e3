'use client'

import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/field'
import { RUN_STATUSES } from '@/spec/status'
import { filtersFrom, filtersQuery, isFiltered, type RunFilters as Filters } from './filters'
import { RUN_LOOKS } from './status'

type Props = { path: string; filters: Filters; workflows: { slug: string; title: string }[] }

/** Narrows the list by writing to the address. */
export function RunFilters({ path, filters, workflows }: Props) {
  const router = useRouter()
  const [pending, start] = useTransition()
  const go = (change: Partial<Filters>) =>
    start(() => router.replace(`${path}${filtersQuery({ ...filters, ...change })}`, { scroll: false }))
  return (
    <div role="search" aria-label="Filter runs" aria-busy={pending} className="mb-4 flex flex-wrap items-center gap-3">
      <Select
        aria-label="Status"
        className="w-auto max-w-full"
        value={filters.status ?? ''}
        onChange={(event) => go({ status: filtersFrom({ status: event.target.value }).status })}
      >
        <option value="">Any status</option>
        {RUN_STATUSES.map((status) => (
          <option key={status} value={status}>
            {RUN_LOOKS[status].word}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Workflow"
        className="w-auto max-w-full"
        value={filters.slug ?? ''}
        onChange={(event) => go({ slug: event.target.value || null })}
      >
        <option value="">Any workflow</option>
        {filters.slug !== null && !workflows.some(({ slug }) => slug === filters.slug) && (
          <option value={filters.slug}>{filters.slug}</option>
        )}
        {workflows.map(({ slug, title }) => (
          <option key={slug} value={slug}>
            {title}
          </option>
        ))}
      </Select>
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="accent-primary size-4"
          checked={filters.mine}
          onChange={(event) => go({ mine: event.target.checked })}
        />
        Started by me
      </label>
      {isFiltered(filters) && (
        <Button variant="ghost" size="sm" onClick={() => go({ status: null, slug: null, mine: false })}>
          Show all
        </Button>
      )}
    </div>
  )
}
