'use client'

import Link from 'next/link'
import { useCallback } from 'react'
import { trpc } from '@/components/shell/trpc'
import { useLive } from '@/components/shell/use-live'
import { RelativeTime } from '@/components/ui/relative-time'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { Duration } from './duration'
import { listInput, type RunFilters } from './filters'
import { LoadMore } from './load-more'
import { runName, stepsDone } from './names'
import { RUN_LOOKS } from './status'
import { StatusBadge } from './status-badge'
import type { RunPage, RunRow } from './types'
import { usePages } from './use-pages'

/** The runs of a team, newest first, kept fresh. On a phone everything stands below the run's name. */
export function RunsList({ team, filters, first }: { team: string; filters: RunFilters; first: RunPage }) {
  useLive()
  const { status, slug, mine } = filters
  const load = useCallback(
    (cursor: string) => trpc.runs.list.query({ ...listInput(team, { status, slug, mine }), cursor }),
    [team, status, slug, mine],
  )
  const { rows, loading, error, more } = usePages<RunRow>(first, load)
  return (
    <>
      <div className="bg-card overflow-hidden rounded-xl border">
        <Table aria-label="Runs">
          <thead className="max-md:sr-only">
            <tr>
              <Th>Run</Th>
              <Th className="max-md:hidden">Status</Th>
              <Th className="max-lg:hidden">Workflow</Th>
              <Th className="max-md:hidden">Started by</Th>
              <Th className="max-md:hidden">Started</Th>
              <Th className="max-md:hidden">Duration</Th>
            </tr>
          </thead>
          <tbody>
            {rows.map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </tbody>
        </Table>
      </div>
      <LoadMore what="runs" error={error} loading={loading} more={more} />
    </>
  )
}

function Row({ run }: { run: RunRow }) {
  return (
    <Tr>
      <Td className="w-full max-w-0">
        <Link href={`/t/${run.team}/runs/${run.id}`} className="block truncate rounded-sm font-medium hover:underline">
          {runName(run)}
        </Link>
        <p className="text-muted-foreground mt-0.5 text-xs lg:hidden">{run.workflow.title}</p>
        <p className="text-muted-foreground mt-0.5 text-xs md:hidden">
          {starterOf(run)}, <RelativeTime at={run.createdAt} />
        </p>
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 md:hidden">
          <Progress run={run} />
        </div>
      </Td>
      <Td className="whitespace-nowrap max-md:hidden">
        <div className="grid justify-items-start gap-1">
          <Progress run={run} />
        </div>
      </Td>
      <Td className="max-lg:hidden">
        <span className="block max-w-56 truncate" title={run.workflow.title}>
          {run.workflow.title}
        </span>
      </Td>
      <Td className="max-md:hidden">{starterOf(run)}</Td>
      <Td className="whitespace-nowrap max-md:hidden">
        <RelativeTime at={run.createdAt} />
      </Td>
      <Td className="whitespace-nowrap max-md:hidden">
        <Duration from={run.startedAt} to={run.finishedAt} />
      </Td>
    </Tr>
  )
}

/** Who or, of a child run, which run started it. */
const starterOf = ({ startedBy, parent }: RunRow) => (parent === null ? startedBy.name : `a run of ${parent.title}`)

function Progress({ run }: { run: RunRow }) {
  return (
    <>
      <StatusBadge look={RUN_LOOKS[run.status]} />
      <span className="text-muted-foreground text-xs">
        {stepsDone(run)}
        {run.stopping && ', being stopped'}
      </span>
    </>
  )
}
