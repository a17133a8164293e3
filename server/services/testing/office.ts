import { randomUUID } from 'node:crypto'
import { principalOfKey } from '../../auth/api-keys'
import { openWorld, type PersonName } from '../../auth/testing/world'
import type { Principal } from '../../auth/principal'
import { createPostgresStore } from '../../store/postgres/store'
import type { Json } from '@/spec'
import { testEngine } from '../../store/postgres/testing/engine'
import { createTestQueue } from '../../store/postgres/testing/harness'
import type { ClewError } from '../../errors'
import type { Ctx } from '../context'
import { getRun } from '../runs/get'
import { startRun } from '../runs/start'
import { publishWorkflow } from '../workflows/publish'

/** Texts that only people of the team may ever read, one for each place where data can stand. */
export const CANARIES = {
  input: 'canary-in-the-input',
  output: 'canary-in-the-output',
  error: 'canary-in-the-error',
  comment: 'canary-in-the-comment',
}

/** Asks a manager above 500, then pays. A reason with `fail` in it makes paying fail. */
export const EXPENSE = JSON.stringify({
  spec: 1,
  slug: 'expense',
  title: 'Expense',
  description: 'Pays what was spent.',
  input: { amount: { type: 'number', minimum: 0 }, reason: { type: 'string', title: 'What for' } },
  run_title: '${input.reason}',
  steps: [
    {
      id: 'route',
      uses: 'choice',
      after: [],
      branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: 500 } }, { name: 'small' }],
    },
    {
      id: 'sign_off',
      uses: 'approve',
      after: ['route.large'],
      role: 'manager',
      message: '${input.reason}',
      show: { reason: '${input.reason}' },
    },
    { id: 'pay', uses: 'tool:ledger.post', after: ['route.small', 'sign_off'], join: 'any', with: { memo: '${input.reason}' } },
  ],
  output: { entry: '${steps.pay.output.entry}' },
})

/** The world with an engine and a published workflow in Finance; runs move when `work` is called. */
export async function openOffice() {
  const world = await openWorld()
  const queue = createTestQueue(world.url)
  const handled: Json[] = []
  const engine = testEngine({ store: createPostgresStore(world.db, queue), queue, newId: randomUUID }, async (_, input) => {
    handled.push(input)
    if (JSON.stringify(input).includes('fail')) throw new Error(CANARIES.error)
    return { output: { entry: CANARIES.output } }
  })
  const ctx = (principal: Principal): Ctx => ({ db: world.db, engine, principal, channel: 'web' })
  /** Does all the jobs that there are, and those they lead to. */
  const work = async () => {
    for (let jobs = await queue.fetch(20); jobs.length > 0; jobs = await queue.fetch(20)) {
      await Promise.all(jobs.map((job) => engine.perform(job)))
      await queue.complete(jobs.map(({ id }) => id))
    }
  }
  await publishWorkflow(ctx(await world.as('eli')), { team: 'finance', source: EXPENSE })
  return {
    ...world,
    engine,
    ctx,
    as: async (name: PersonName) => ctx(await world.as(name)),
    byKey: async (key: string) => {
      const principal = await principalOfKey(world.db, `Bearer ${key}`)
      if (!principal) throw new Error('no such key')
      return ctx(principal)
    },
    work,
    /** What tools were given. */
    handled,
    /** A run that waits for a manager, and its gate. */
    waiting: async (by: Ctx) => {
      const { id } = await start(by, 900)
      await work()
      const run = await getRun(by, { team: 'finance', id })
      return { id, gate: run.gates[0]?.id ?? '' }
    },
    audited: async (action: string) => {
      const { rows } = await world.pool.query<{ actor_id: string; details: string }>(
        'select actor_id, details from audit_log where action = $1 order by id',
        [action],
      )
      return rows.map(({ actor_id, details }) => ({ actor: actor_id, details: JSON.parse(details) as Record<string, unknown> }))
    },
    close: async () => {
      await queue.close()
      await world.close()
    },
  }
}
export type Office = Awaited<ReturnType<typeof openOffice>>

export const start = (ctx: Ctx, amount: number, reason: string = CANARIES.input, idempotencyKey?: string) =>
  startRun(ctx, { team: 'finance', slug: 'expense', input: { amount, reason }, idempotencyKey })

/** What somebody who is refused gets to hear; null when they were not. */
export const refusal = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (error: ClewError) => error,
  )
  return error && { code: error.code, message: error.message, detail: error.detail }
}
