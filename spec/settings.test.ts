import { describe, expect, it } from 'vitest'
import {
  approveSettings,
  compensateOn,
  isFinal,
  kindOf,
  mapSettings,
  parseWorkflow,
  retryOf,
  RUN_STATUSES,
  timeoutSecondsOf,
  toolOf,
  type WorkflowSpec,
} from '.'
import { EXAMPLE } from './testing/example'

const example = (): WorkflowSpec => {
  const result = parseWorkflow(EXAMPLE)
  if (!result.ok) throw new Error('the example is refused')
  return result.spec
}

describe('settings', () => {
  it('apply the defaults of the format', () => {
    const gate = { id: 'a', uses: 'approve' as const, after: [], role: 'r' }
    const usual = {
      ttlSeconds: 259_200,
      channels: ['web'],
      approvals: 1,
      selfApproval: false,
      requireSignIn: false,
      remindAfterSeconds: null,
    }
    expect(approveSettings(gate)).toEqual(usual)
    expect(approveSettings({ ...gate, approvals: 2 })).toEqual({ ...usual, approvals: 2, requireSignIn: true })
    expect(retryOf({})).toEqual({ maxAttempts: 5, baseSeconds: 1, maxSeconds: 300 })
    expect(retryOf({ retry: { base_seconds: 0 } })).toEqual({ maxAttempts: 5, baseSeconds: 0, maxSeconds: 300 })
    expect(timeoutSecondsOf({})).toBe(300)
    expect(mapSettings({ id: 'a', uses: 'map', after: [], over: [], do: { uses: 'tool:x' } })).toEqual({ concurrency: 10, tolerate: 0 })
    expect(compensateOn(example())).toEqual(['parked'])
    expect(compensateOn({ ...example(), compensate_on: [] })).toEqual([])
  })

  it('tell kinds and tools apart', () => {
    expect(example().steps.map(kindOf)).toEqual(['choice', 'approve', 'tool'])
    expect(toolOf({ uses: 'tool:ledger.post' })).toBe('ledger.post')
  })

  it('know which runs can never move again', () => {
    expect(RUN_STATUSES.filter(isFinal)).toEqual(['succeeded', 'rejected', 'cancelled'])
  })
})
