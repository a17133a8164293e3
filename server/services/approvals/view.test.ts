import { expect, it } from 'vitest'
import { titlesOfShown } from './view'

it('gives what an approval shows of the input the titles that the form has', () => {
  const input = { amount: { type: 'number' as const, title: 'Amount (EUR)' }, memo: { type: 'string' as const } }
  const show = {
    cost: '${input.amount}',
    memo: '${input.memo}',
    part: '${input.amount.cents}',
    other: '${input.made_up}',
    words: 'amount',
    several: ['${input.amount}'],
    entry: '${steps.pay.output.entry}',
  }
  expect(titlesOfShown({ written: { input, show } })).toEqual({ cost: 'Amount (EUR)' })
})
