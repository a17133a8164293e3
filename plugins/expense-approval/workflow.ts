import { defineWorkflow, field } from '@/sdk'
import { post, reverse } from './ledger'

export const expenseApproval = defineWorkflow(
  {
    slug: 'expense-approval',
    title: 'Expense approval',
    description: "Pays an expense into the team's ledger. Above 500 euros a manager has to approve it first.",
    input: {
      amount: field.number({ title: 'Amount (EUR)', minimum: 0 }),
      reason: field.string({ title: 'What for', format: 'multiline', maxLength: 500 }),
    },
    runTitle: (input) => input.reason,
  },
  (w) => {
    const { amount, reason } = w.input
    const route = w.choice('route', {
      after: [],
      title: 'Large or small?',
      description: "More than 500 euros needs a manager's approval.",
      branches: { large: w.when(amount).gt(500), small: w.otherwise },
    })
    const signOff = w.approve('sign_off', {
      after: [route.large],
      title: "Manager's approval",
      description: 'A manager looks at the amount and the reason.',
      role: 'manager',
      channels: ['web', 'email'],
      show: { amount, reason },
    })
    const pay = w.call('pay', post, {
      after: [route.small, signOff],
      join: 'any',
      title: 'Pay',
      description: "Writes the expense into the team's ledger.",
      with: { amount, memo: reason },
      compensate: (posted) => w.undo(reverse, { entry: posted.entry_id }),
    })
    return { entry: pay.output.entry_id }
  },
)
