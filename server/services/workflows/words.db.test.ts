import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishCatalogue } from '../../store/postgres/catalogue'
import { openOffice } from '../testing/office'
import { getWorkflow } from './get'
import { listWorkflows } from './list'
import { publishWorkflow } from './publish'

const team = 'finance'
let office: Awaited<ReturnType<typeof openOffice>>
beforeAll(async () => {
  office = await openOffice()
})
afterAll(() => office.close())

it('a workflow is told with the titles and effects of its jobs and of the workflows it starts', async () => {
  const job = {
    kind: 'plant.grow',
    pluginId: 'garden',
    title: 'Let it grow',
    description: 'Waters it.',
    effect: 'write' as const,
    inputSchema: {},
    outputSchema: {},
  }
  await publishCatalogue(office.db, {
    plugins: [{ id: 'garden', title: 'Garden', version: '1.0.0', description: '', status: 'loaded' }],
    tools: [],
    jobs: [job],
    workflows: [],
  })
  const source = JSON.stringify({
    spec: 1,
    slug: 'plant',
    title: 'Plant',
    steps: [
      { id: 'grow', uses: 'job:plant.grow', after: [] },
      { id: 'sell', uses: 'workflow:expense', after: ['grow'], with: { amount: 5, reason: 'seeds' } },
      { id: 'mow', uses: 'job:lawn.mow', after: ['sell'] },
    ],
  })
  await publishWorkflow(await office.as('eli'), { team, source })
  const view = await getWorkflow(await office.as('tom'), { team, slug: 'plant' })
  const words = view.plan.steps.map(({ sentence }) => sentence).join('\n')
  expect(words).toContain('Let it grow')
  expect(words).toContain('Expense')
  expect(view.tools).toEqual({ 'job:plant.grow': { title: 'Let it grow', effect: 'write', enabled: true }, 'job:lawn.mow': null })
  const row = (await listWorkflows(await office.as('tom'), { team })).find(({ slug }) => slug === 'plant')
  expect(row?.summary).toContain('Let it grow')
  // A page in English says of these words which language they are in.
  expect(row?.summaryLang).toBe('en')
})
