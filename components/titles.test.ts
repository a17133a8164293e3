import { expect, it } from 'vitest'
import { approvalTitle, runTitle } from './titles'

const workflow = { slug: 'expense', title: 'Expense approval', version: 1 }

it('gives tabs titles by which they can be told apart, with nothing of the data where that is hidden', () => {
  expect(runTitle({ id: '0123456789ab', workflow, title: 'Chairs for the office' })).toBe('Chairs for the office · Expense approval')
  expect(runTitle({ id: '0123456789ab', workflow })).toBe('Expense approval #6789ab')
  const asked = { title: 'Sign off', workflow, startedBy: 'Tom', status: 'open', show: { amount: 900, items: [1], reason: 'Two\nchairs' } }
  expect(approvalTitle(asked)).toBe('Sign off: 900, Two chairs · Expense approval')
  expect(approvalTitle({ ...asked, status: 'rejected', show: {} })).toBe('Rejected: Sign off for Tom · Expense approval')
})
