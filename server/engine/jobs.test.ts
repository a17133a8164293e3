import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { ToolCall } from './ports'
import { createTestEngine, testTool } from './testing'

const DAY = 24 * 3_600_000

function engineWith(
  steps: WorkflowSpec['steps'],
  run: (input: Json, call: ToolCall) => Json | Promise<Json>,
  effect: 'write' | 'once' = 'write',
) {
  return createTestEngine({
    tools: [testTool('a', () => 'the tool'), testTool('train', () => 'the tool')],
    jobs: [testTool('train', run, { effect })],
    workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps }],
  })
}
const train = (fields: object = {}): WorkflowSpec['steps'][number] => ({ id: 'x', uses: 'job:train', after: [], ...fields })

const quiet = () => new Promise((resolve) => setImmediate(resolve))
async function turn(t: ReturnType<typeof engineWith>, ms: number) {
  await quiet()
  t.clock.advance(ms)
  await quiet()
}

test('a job is not the tool of the same name', async () => {
  const t = engineWith([train()], () => 'the job')
  const id = await t.start('flow')
  await t.settle()
  expect(t.run(id).steps.get('x')).toMatchObject({ status: 'succeeded', output: 'the job' })
})

test('an unknown job parks its run, also where failed is followed', async () => {
  const t = engineWith(
    [{ ...train(), uses: 'job:gone' } as WorkflowSpec['steps'][number], { id: 'y', uses: 'tool:a', after: ['x.failed'] }],
    () => 1,
  )
  const id = await t.start('flow')
  await t.settle()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'unknown_job', message: "unknown job 'gone'" } })
})

test('a job has its time limit, of up to 90 days, from the start of each attempt', async () => {
  const t = engineWith([train({ timeout_seconds: 7_776_000, retry: { max_attempts: 1 } })], () => new Promise(() => {}))
  const id = await t.start('flow')
  const settled = t.settle()
  await turn(t, 90 * DAY - 1)
  expect(t.run(id).status).toBe('running')
  await turn(t, 1)
  await settled
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'timeout' } })
})

test('a job that cannot be repeated parks its run when its worker is lost', async () => {
  const t = engineWith([train()], () => new Promise(() => {}), 'once')
  const id = await t.start('flow')
  const [job] = await t.queue.fetch(1, 'job.train')
  void t.engine.perform(job!)
  await quiet()
  t.queue.lose([job!.id])
  await t.settle()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown' } })
})

test('a cancelled job is told, and what it still says counts', async () => {
  let told: Promise<void> | undefined
  const t = engineWith([train()], (_, { signal }) => {
    const aborted = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => aborted.resolve())
    told = aborted.promise
    return told.then(() => 'half done')
  })
  const id = await t.start('flow')
  const settled = t.settle()
  await quiet()
  await t.engine.cancel(id)
  await settled
  expect(t.run(id)).toMatchObject({ status: 'cancelled' })
  expect(t.run(id).steps.get('x')).toMatchObject({ status: 'succeeded', output: 'half done' })
})

test('items of a map that wait for their job are taken back when the run is cancelled', async () => {
  const t = engineWith([{ id: 'm', uses: 'map', after: [], over: [1, 2, 3], do: { uses: 'job:train' } }], () => 1)
  const id = await t.start('flow')
  await t.engine.cancel(id)
  await t.settle()
  expect(t.run(id).status).toBe('cancelled')
  expect(await t.queue.fetch(10, 'job.train')).toEqual([])
})
