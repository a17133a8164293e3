'use client'

import Link from 'next/link'
import { useMemo } from 'react'
import { WorkflowDiagram } from '@/components/dag/workflow-diagram'
import type { ToolTitles } from '@/components/dag/words'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { JsonTree } from '@/components/ui/json-tree'
import { PageHeader } from '@/components/ui/page-header'
import { ExactTime, RelativeTime } from '@/components/ui/relative-time'
import type { Json, WorkflowSpec } from '@/spec'
import { CancelRun } from './cancel-run'
import { ContinueRun } from './continue-run'
import { DataList, DataValue } from './data-list'
import { Duration } from './duration'
import { runName, stepsDone } from './names'
import { RecordOutcome } from './record-outcome'
import { RunGates } from './run-gates'
import { RunSteps } from './run-steps'
import { RunSummary } from './run-summary'
import type { RunView, RunViewData } from './types'
import { useLiveRun } from './use-live-run'

/** One run, from what the server rendered, then live. */
export function RunPage({ initial, mayRun, titles }: { initial: RunView; mayRun: boolean; titles: ToolTitles }) {
  const { run, connection, accept } = useLiveRun(initial)
  const spec = useMemo(() => JSON.parse(run.spec) as WorkflowSpec, [run.spec])
  const of = useMemo(() => {
    const agents = spec.steps.flatMap((step) => ('do' in step && step.do.uses === 'agent' ? [step.id] : []))
    return { team: run.team, id: run.id, titles, mapsWithAgents: new Set(agents) }
  }, [spec, titles, run.team, run.id])
  const statuses = Object.fromEntries(
    run.steps.map(({ id, status, port, child, stopped, startedAt }) => [
      id,
      { status, port, child: stopped === null ? child : { status: 'parked' as const }, startedAt },
    ]),
  )
  return (
    <>
      <PageHeader
        crumbs={[{ title: 'Runs', href: `/t/${run.team}/runs` }]}
        title={runName(run)}
        actions={
          <>
            {mayRun && (
              <Button asChild variant="secondary">
                <Link href={`/t/${run.team}/workflows/${run.workflow.slug}/run`}>Run again</Link>
              </Button>
            )}
            {run.mayRecordOutcome &&
              run.unknown.map((of) => <RecordOutcome key={`${of.stepId} ${of.item}`} run={run} of={of} onRecorded={accept} />)}
            {run.mayRedrive && <ContinueRun run={run} onContinued={accept} />}
            {run.mayCancel && <CancelRun team={run.team} id={run.id} onCancelled={accept} />}
          </>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        {run.view === 'shape' && (
          <Alert title="This team’s data is hidden from you.">
            You see which steps ran, when and how they ended; not what they worked on.
          </Alert>
        )}
        <RunSummary run={run} spec={spec} connection={connection} />
        <Facts run={run} />
        {run.view === 'data' && run.output !== null && <Result output={run.output} />}
        <Card aria-labelledby="steps">
          <CardHeader>
            <CardTitle id="steps">Steps</CardTitle>
            <p className="text-muted-foreground text-sm">{stepsDone(run, run.steps.filter(({ status }) => status === 'failed').length)}</p>
          </CardHeader>
          <RunSteps steps={run.steps} data={run.view === 'data'} explained={run.status === 'parked' ? run.errorStep : null} of={of} />
        </Card>
        {run.gates.length > 0 && <RunGates gates={run.gates} />}
        <Card aria-labelledby="diagram">
          <CardHeader>
            <CardTitle id="diagram">Diagram</CardTitle>
          </CardHeader>
          <CardContent>
            <WorkflowDiagram spec={run.spec} statuses={statuses} titles={titles} />
          </CardContent>
        </Card>
        {run.view === 'data' && <Started run={run} spec={spec} />}
        <details className="bg-card rounded-xl border">
          <summary className="rounded-xl px-5 py-3.5 font-semibold">All of it as JSON</summary>
          <JsonTree value={{ ...run, spec } as unknown as Json} className="px-5 pb-5" />
        </details>
      </div>
    </>
  )
}

function Facts({ run }: { run: RunView }) {
  return (
    <dl className="text-muted-foreground flex flex-wrap gap-x-8 gap-y-3 text-sm [&_dd]:text-foreground">
      <div>
        <dt>Workflow</dt>
        <dd>
          <Link
            href={`/t/${run.team}/workflows/${run.workflow.slug}`}
            className="text-primary rounded-sm underline underline-offset-4 hover:no-underline"
          >
            {run.workflow.title}
          </Link>{' '}
          <span className="text-muted-foreground">version {run.workflow.version}</span>
        </dd>
      </div>
      <div>
        <dt>Started by</dt>
        <dd>
          {run.startedBy.name}
          {run.parent !== null && (
            <>
              , through{' '}
              <Link
                href={`/t/${run.team}/runs/${run.parent.id}`}
                className="text-primary rounded-sm underline underline-offset-4 hover:no-underline"
              >
                a run of {run.parent.title}
              </Link>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd>
          <ExactTime at={run.createdAt} /> (<RelativeTime at={run.createdAt} />)
        </dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>
          <Duration from={run.startedAt} to={run.finishedAt} />
        </dd>
      </div>
    </dl>
  )
}

function Result({ output }: { output: Json }) {
  return (
    <Card aria-labelledby="result">
      <CardHeader>
        <CardTitle id="result">Result</CardTitle>
      </CardHeader>
      <CardContent>
        {typeof output === 'object' && output !== null && !Array.isArray(output) ? (
          <DataList values={output} />
        ) : (
          <DataValue value={output} />
        )}
      </CardContent>
    </Card>
  )
}

function Started({ run, spec }: { run: RunViewData; spec: WorkflowSpec }) {
  const titles = Object.fromEntries(Object.entries(spec.input ?? {}).flatMap(([name, { title }]) => (title ? [[name, title]] : [])))
  return (
    <Card aria-labelledby="input">
      <CardHeader>
        <CardTitle id="input">Started with</CardTitle>
      </CardHeader>
      <CardContent>
        {Object.keys(run.input).length === 0 ? (
          <p className="text-muted-foreground text-sm">This workflow takes no input.</p>
        ) : (
          <DataList values={run.input} titles={titles} />
        )}
      </CardContent>
    </Card>
  )
}
