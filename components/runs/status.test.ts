import { expect, it } from 'vitest'
import { stepLook } from './status'

const step = { kind: 'tool', status: 'pending' as const, port: null }

it('a step that had begun when its run was stopped is not shown as one that never started', () => {
  expect(stepLook(step).word).toBe('Not started')
  expect(stepLook({ ...step, startedAt: null }).word).toBe('Not started')
  expect(stepLook({ ...step, startedAt: '2026-01-01T00:00:00Z' }).word).toBe('Interrupted')
})
