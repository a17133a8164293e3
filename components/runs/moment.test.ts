import { expect, it } from 'vitest'
import { moment } from './moment'

const reader = { locale: 'en-GB', timeZone: 'UTC' }
const now = Date.parse('2026-12-01T01:29:10Z')

it('says today’s times without the date, and with seconds where it is less than a minute away', () => {
  expect(moment('2026-12-01T01:29:12Z', now, reader)).toEqual({ exact: '01:29:12', when: 'at 01:29:12' })
  expect(moment('2026-12-01T15:04:30Z', now, reader)).toEqual({ exact: '15:04', when: 'at 15:04' })
})

it('says the date of another day, as the reader’s zone has it', () => {
  expect(moment('2026-12-02T01:29:00Z', now, reader).when).toMatch(/^on Wednesday.* 2 December 2026 .*01:29$/)
  expect(moment('2026-12-01T02:29:00Z', now, reader).exact).toBe('02:29')
  // In Honolulu it is still yesterday, for both.
  expect(moment('2026-11-30T12:00:00Z', now, { ...reader, timeZone: 'Pacific/Honolulu' }).exact).toBe('02:00')
  expect(moment('2026-11-30T12:00:00Z', now, reader).exact).toContain('November')
})
