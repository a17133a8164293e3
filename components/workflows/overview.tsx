import { ListChecksIcon } from 'lucide-react'
import Link from 'next/link'
import { sourceWords } from '@/components/messages'
import { durationText } from '@/components/runs/duration-text'
import { RUN_LOOKS } from '@/components/runs/status'
import { StatusBadge } from '@/components/runs/status-badge'
import type { Answers } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { RelativeTime } from '@/components/ui/relative-time'
import { Plan } from './plan'
import { ToolTable } from './tool-table'

type Workflow = Answers['workflows']['get']

/** What it will do in plain words, with what, and how it went lately. */
export function Overview({ team, workflow }: { team: string; workflow: Workflow }) {
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="grid content-start gap-6">
        <BlockedTools tools={workflow.tools} />
        <Card>
          <CardHeader>
            <CardTitle>What it does</CardTitle>
          </CardHeader>
          <CardContent>
            <Plan workflow={workflow} />
          </CardContent>
        </Card>
      </div>
      <div className="grid content-start gap-6">
        <RecentRuns team={team} workflow={workflow} />
        {Object.keys(workflow.tools).length > 0 && (
          <Card>
            <CardHeader>
              <CardTitle>Tools it uses</CardTitle>
            </CardHeader>
            <CardContent>
              <ToolTable tools={workflow.tools} />
            </CardContent>
          </Card>
        )}
        <p className="px-1 text-sm text-muted-foreground">
          <code>{workflow.slug}</code> · version {workflow.version}, {sourceWords(workflow.source)} <RelativeTime at={workflow.createdAt} />
        </p>
      </div>
    </div>
  )
}

/** A tool or a job (`job:KIND`) by its name. */
const calleeWords = (name: string) => (name.startsWith('job:') ? `job ${name.slice('job:'.length)}` : `tool ${name}`)

/** Said before a run starts, not after it stopped. */
export function BlockedTools({ tools }: { tools: Workflow['tools'] }) {
  const blocked = Object.entries(tools).filter(([, tool]) => !tool?.enabled)
  if (blocked.length === 0) return null
  return (
    <Alert tone="warning" title="As things are, a run of this will stop.">
      <ul className="list-disc pl-5">
        {blocked.map(([name, tool]) => (
          <li key={name}>{tool ? `${tool.title} is switched off for the organisation.` : `No plugin brings the ${calleeWords(name)}.`}</li>
        ))}
      </ul>
    </Alert>
  )
}

function RecentRuns({ team, workflow }: { team: string; workflow: Workflow }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Recent runs</CardTitle>
        {workflow.lastRuns.length > 0 && (
          <Link href={`/t/${team}/runs?workflow=${workflow.slug}`} className="text-sm text-primary underline-offset-4 hover:underline">
            All runs
          </Link>
        )}
      </CardHeader>
      {workflow.lastRuns.length === 0 ? (
        <EmptyState icon={<ListChecksIcon />} title="Never run yet" className="pt-2 pb-8" />
      ) : (
        <ul className="divide-y px-5 pb-3">
          {workflow.lastRuns.slice(0, 6).map((run) => (
            <li key={run.id}>
              <Link
                href={`/t/${team}/runs/${run.id}`}
                className="group flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2"
              >
                <StatusBadge look={RUN_LOOKS[run.status]} />
                <RelativeTime at={run.createdAt} className="text-sm text-muted-foreground group-hover:underline" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {workflow.medianSeconds !== null && (
        <p className="border-t px-5 py-3 text-sm text-muted-foreground">Usually takes {durationText(workflow.medianSeconds * 1000)}.</p>
      )}
    </Card>
  )
}
