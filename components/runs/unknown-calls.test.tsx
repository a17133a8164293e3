import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { RunViewData } from './types'
import { UnknownCalls } from './unknown-calls'

const shown = (unknown: RunViewData['unknown']) =>
  renderToString(<UnknownCalls run={{ unknown, steps: [{ id: 'pay', title: 'Pay them' }] as RunViewData['steps'] }} />).replaceAll(
    '<!-- -->',
    '',
  )

it('shows the key of each call of which nobody knows, by the name of its step, and can copy it', () => {
  const html = shown([
    { stepId: 'pay', item: 4, keys: ['r1:pay:4#2'] },
    { stepId: 'talk', item: -1, keys: ['r1:talk/t2.1', 'r1:talk/t2.2'] },
  ])
  expect([...html.matchAll(/<code[^>]*>([^<]*)/g)].map(([, key]) => key)).toEqual(['r1:pay:4#2', 'r1:talk/t2.1', 'r1:talk/t2.2'])
  expect(html).toContain('item 5 of “Pay them”')
  expect(html.match(/Copy the key/g)).toHaveLength(3)
})

it('shows nothing where every outcome is known', () => {
  expect(shown([])).toBe('')
})
