import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import { OUTPUT, runTest } from '../lib/tests'

/** openworkflow with its worker in this process. */
async function open() {
  const backend = await BackendPostgres.connect(process.env.DATABASE_URL)
  const ow = new OpenWorkflow({ backend })
  const ended = new Map()
  const chain = ow.defineWorkflow({ name: 'chain' }, async ({ input, step }) => {
    let last = OUTPUT
    for (let i = 0; i < 10; i++) last = await step.run({ name: `s${i}` }, async () => ({ ...OUTPUT, of: last.text.length }))
    return { at: input.at, last }
  })
  const fanOut = ow.defineWorkflow({ name: 'fan-out' }, async ({ input, step }) => {
    for (let at = 0; at < input.items; at += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, input.items - at) }, (_, i) => step.run({ name: `i${at + i}` }, async () => OUTPUT)),
      )
    return { at: input.at }
  })
  // Its result is asked for once a second, which says nothing about when it was there: what counts is the row's last write.
  const complete = backend.completeWorkflowRun.bind(backend)
  backend.completeWorkflowRun = async (params) => {
    const done = await complete(params)
    ended.get(params.workflowRunId)?.()
    return done
  }
  const worker = ow.newWorker({ concurrency: 50 })
  await worker.start()
  const run = async (workflow, input) => {
    const handle = await workflow.run(input)
    const id = handle.workflowRun.id
    if ((await backend.getWorkflowRun({ workflowRunId: id }))?.status === 'completed') return
    await new Promise((resolve) => ended.set(id, resolve))
  }
  return { chain: () => run(chain, { at: 0 }), fanOut: (items) => run(fanOut, { at: 0, items }) }
}

await runTest({ open })
