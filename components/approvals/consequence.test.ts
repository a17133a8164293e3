import { expect, it } from 'vitest'
import type { Step, WorkflowSpec } from '@/spec'
import { consequencesOf } from './consequence'

const spec = (...steps: Step[]): WorkflowSpec => ({
  spec: 1,
  slug: 'a-flow',
  title: 'A flow',
  steps: [{ id: 'ask', uses: 'approve', after: [], role: 'manager' }, ...steps],
})

it('names what an approval lets go ahead', () => {
  const pay: Step = { id: 'pay', uses: 'tool:ledger.post', after: ['ask'], title: 'Pay' }
  const tell: Step = { id: 'tell', uses: 'tool:note.add', after: ['ask.approved'] }
  expect(consequencesOf(spec(pay, tell), 'ask')).toEqual({
    approve: '“Pay” (ledger.post), “tell” can go ahead.',
    reject: 'the run ends as rejected.',
  })
})

it('says that a followed rejection goes on elsewhere', () => {
  const tell: Step = { id: 'tell', uses: 'tool:note.add', after: ['ask.rejected', 'ask.expired'], join: 'any' }
  expect(consequencesOf(spec(tell), 'ask')).toEqual({ approve: 'nothing more happens.', reject: '“tell” can go ahead instead.' })
})
