import { PlayIcon, SearchXIcon, WorkflowIcon } from 'lucide-react'
import Link from 'next/link'
import { sourceWords } from '@/components/messages'
import { durationText } from '@/components/runs/duration-text'
import type { Answers } from '@/components/shell/trpc'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { Pending } from '@/components/ui/pending'
import { Table, Td, Th, Tr } from '@/components/ui/table'
import { RunTicks } from './run-ticks'

type Row = Answers['workflows']['list'][number]

/** What a team can have done. On a phone the runs and the duration move below the description. */
export function WorkflowTable({ team, rows, search }: { team: string; rows: Row[]; search: string | undefined }) {
  if (rows.length === 0) return <NoWorkflows team={team} search={search} />
  const mayRunSome = rows.some((row) => row.mayRun)
  return (
    <Card>
      <Table aria-label="Workflows">
        <thead>
          <tr>
            <Th>Workflow</Th>
            <Th className="hidden md:table-cell">Last runs</Th>
            <Th className="hidden lg:table-cell">Usually takes</Th>
            {mayRunSome && (
              <Th>
                <span className="sr-only">Start</span>
              </Th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <WorkflowLine key={row.slug} team={team} row={row} mayRunSome={mayRunSome} />
          ))}
        </tbody>
      </Table>
    </Card>
  )
}

function WorkflowLine({ team, row, mayRunSome }: { team: string; row: Row; mayRunSome: boolean }) {
  const href = `/t/${team}/workflows/${row.slug}`
  return (
    <Tr>
      <Td className="min-w-0">
        <Link href={href} className="text-base font-medium hover:underline">
          {row.title}
          <Pending />
        </Link>
        <p lang={row.summaryLang ?? undefined} className="mt-0.5 max-w-prose text-pretty text-muted-foreground">
          {row.summary}
        </p>
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 md:hidden">
          <RunTicks runs={row.lastRuns} />
          {row.medianSeconds !== null && <span className="text-muted-foreground">usually {durationText(row.medianSeconds * 1000)}</span>}
        </div>
        <details className="mt-1 text-muted-foreground">
          <summary className="w-fit rounded-sm py-1 text-xs hover:text-foreground">
            Details<span className="sr-only"> of {row.title}</span>
          </summary>
          <p className="text-xs">
            <code>{row.slug}</code> · version {row.version} · {sourceWords(row.source)}
          </p>
        </details>
      </Td>
      <Td className="hidden whitespace-nowrap md:table-cell">
        <RunTicks runs={row.lastRuns} />
      </Td>
      <Td className="hidden whitespace-nowrap text-muted-foreground lg:table-cell">
        {row.medianSeconds === null ? '–' : durationText(row.medianSeconds * 1000)}
      </Td>
      {mayRunSome && (
        <Td className="w-px text-right">
          {row.mayRun && (
            <Button asChild size="sm">
              <Link href={`${href}/run`}>
                <PlayIcon aria-hidden /> Run<span className="sr-only"> {row.title}</span>
              </Link>
            </Button>
          )}
        </Td>
      )}
    </Tr>
  )
}

function NoWorkflows({ team, search }: { team: string; search: string | undefined }) {
  if (search) {
    return (
      <Card>
        <EmptyState
          icon={<SearchXIcon />}
          title={`Nothing here is called “${search}”`}
          action={
            <Button asChild variant="secondary">
              <Link href={`/t/${team}/workflows`}>Show all workflows</Link>
            </Button>
          }
        >
          The search looks at names and descriptions.
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card>
      <EmptyState icon={<WorkflowIcon />} title="No workflows yet">
        They come with plugins, or a team editor publishes one by the API: <code>POST /api/v1/t/{team}/workflows</code>.
      </EmptyState>
    </Card>
  )
}
