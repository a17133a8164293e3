import { expect, it } from 'vitest'
import { toolsByStep } from './tools-of'

it('finds the tools and jobs of calls, of bodies and of undoing, each once', () => {
  const steps = [
    { id: 'a', uses: 'tool:ledger.post', compensate: { uses: 'tool:ledger.reverse' } },
    { id: 'b', uses: 'map', do: { uses: 'tool:x.y', compensate: { uses: 'tool:x.y' } } },
    { id: 'c', uses: 'approve' },
    { id: 'd', uses: 'job:report.monthly' },
  ]
  expect([...toolsByStep(JSON.stringify({ steps }))]).toEqual([
    ['a', ['ledger.post', 'ledger.reverse']],
    ['b', ['x.y']],
    ['c', []],
    ['d', ['job:report.monthly']],
  ])
})
