import { expect, it } from 'vitest'
import { shownText } from './shown'

it('calls what an approval shows as the form called it, and the rest by its key in words', () => {
  const shown = [
    { name: 'amount', title: 'Amount (EUR)', text: '900' },
    { name: 'entry_id', title: null, text: 'E-7' },
  ]
  expect(shownText(shown)).toBe('Amount (EUR) 900 · Entry id E-7')
})
