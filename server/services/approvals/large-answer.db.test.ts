import { afterAll, beforeAll, expect, it } from 'vitest'
import { getRun } from '../runs/get'
import { startRun } from '../runs/start'
import { openOffice, type Office } from '../testing/office'
import { publishWorkflow } from '../workflows/publish'
import { decideApproval } from './decide'

const team = 'finance'
let office: Office
beforeAll(async () => {
  office = await openOffice()
})
afterAll(() => office.close())

const MINUTES = {
  spec: 1,
  slug: 'minutes',
  title: 'Minutes',
  steps: [
    { id: 'ask', uses: 'approve', after: [], role: 'manager', form: { text: { type: 'string' } } },
    { id: 'file', uses: 'tool:ledger.post', after: ['ask.approved'], with: { text: '${steps.ask.output.form.text}' } },
    { id: 'again', uses: 'tool:ledger.post', after: ['ask.rejected'] },
  ],
}

// More than a page is shown of one output, and nearly as much as a request may hold.
it.each([300, 1_000])(
  'an answer of %s KiB approves as any other does: the run goes on with all of it, and says how it was answered',
  async (kib) => {
    const text = 'x'.repeat(kib * 1024)
    const tom = await office.as('tom')
    await publishWorkflow(await office.as('eli'), { team, source: JSON.stringify({ ...MINUTES, slug: `minutes-${kib}` }) })
    const { id } = await startRun(tom, { team, slug: `minutes-${kib}`, input: {} })
    const gate = (await getRun(tom, { team, id })).gates[0]?.id ?? ''
    expect(await decideApproval(await office.as('mia'), { gate, decision: 'approve', form: { text } })).toMatchObject({
      status: 'approved',
    })
    await office.work()
    expect(office.handled.at(-1)).toEqual({ text })
    const steps = [
      { id: 'ask', status: 'succeeded', port: 'approved' },
      { id: 'file', status: 'succeeded' },
      { status: 'skipped', port: null },
    ]
    const seen = await getRun(tom, { team, id })
    expect(seen).toMatchObject({ status: 'succeeded', steps: [{ ...steps[0], output: null, flag: null }, steps[1], steps[2]] })
    expect(seen.view === 'data' && (seen.steps[0]?.outputOmitted ?? 0)).toBeGreaterThan(kib * 1024)
    expect(await getRun(await office.as('olga'), { team, id })).toMatchObject({ view: 'shape', steps })
  },
)
