import { expect, it } from 'vitest'
import type { Step, WorkflowSpec } from '@/spec'
import { consequencesOf, outcome } from './consequence'

const spec = (...steps: Step[]): WorkflowSpec => ({
  spec: 1,
  slug: 'a-flow',
  title: 'A flow',
  steps: [{ id: 'ask', uses: 'approve', after: [], role: 'manager' }, ...steps],
})

it('names what an approval lets go ahead', () => {
  const pay: Step = { id: 'pay', uses: 'tool:ledger.post', after: ['ask'], title: 'Pay' }
  const tell: Step = { id: 'tell', uses: 'tool:note.add', after: ['ask.approved'] }
  expect(consequencesOf(spec(pay, tell), 'ask').approve).toBe('“Pay” (ledger.post), “tell” can go ahead.')
  expect(consequencesOf(spec(pay, tell), 'ask', { 'ledger.post': 'Post to the ledger' })).toEqual({
    approve: '“Pay” (Post to the ledger), “tell” can go ahead.',
    reject: 'the run ends as rejected.',
    rejectionIsFollowed: false,
  })
})

it('says that a followed rejection goes on elsewhere', () => {
  const tell: Step = { id: 'tell', uses: 'tool:note.add', after: ['ask.rejected', 'ask.expired'], join: 'any' }
  expect(consequencesOf(spec(tell), 'ask')).toEqual({
    approve: 'nothing more happens.',
    reject: '“tell” can go ahead instead.',
    rejectionIsFollowed: true,
  })
})

it('says after a rejection what becomes of the run, and claims nothing that it does not know', () => {
  const tell: Step = { id: 'tell', uses: 'tool:note.add', after: ['ask.rejected'] }
  expect(outcome('approve', null)).toBe('The run goes on from here by itself.')
  expect(outcome('reject', consequencesOf(spec(), 'ask'))).toBe('The run ends as rejected.')
  expect(outcome('reject', consequencesOf(spec(tell), 'ask'))).toBe('The run takes the path for a rejection.')
  expect(outcome('reject', null)).not.toContain('goes on')
})
