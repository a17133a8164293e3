import { z } from 'zod'
import { hasFormat } from '../formats'
import type { Json } from '../json'
import type { Path, Report } from '../problems'
import { STEP_FIELDS, VALUE } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

export const WAIT_SECONDS_MAX = 31_536_000

const schema = z.strictObject({
  ...STEP_FIELDS,
  uses: z.literal('wait'),
  seconds: VALUE.optional(),
  until: VALUE.optional(),
})
export type WaitStep = z.input<typeof schema>

export const wait: Kind<WaitStep> = {
  schema,
  ports: () => PORTS.wait,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: () => ({}),
  check: ({ seconds, until }, path, report) => {
    if (seconds === undefined && until === undefined) {
      report('missing_field', [...path, 'seconds'], "'seconds' or 'until' is missing: one of them says how long to wait")
    } else if (seconds !== undefined && until !== undefined) {
      report('field_not_allowed', [...path, 'until'], "either 'seconds' or 'until', not both")
    }
    checkSeconds(seconds, [...path, 'seconds'], report)
    checkUntil(until, [...path, 'until'], report)
  },
}

/** A reference is left to the check of references; its value to the run. */
const isReference = (value: Json) => typeof value === 'string' && value.includes('${')

function checkSeconds(seconds: Json | undefined, path: Path, report: Report): void {
  if (seconds === undefined || isReference(seconds)) return
  if (typeof seconds !== 'number') return report('wrong_type', path, 'must be a number of seconds, or a reference to one')
  if (seconds < 0) report('invalid_value', path, 'must be at least 0')
  if (seconds > WAIT_SECONDS_MAX) report('invalid_value', path, `must be at most ${WAIT_SECONDS_MAX}`)
}

function checkUntil(until: Json | undefined, path: Path, report: Report): void {
  if (until === undefined || isReference(until)) return
  if (typeof until !== 'string') return report('wrong_type', path, 'must be a date and time with offset, or a reference to one')
  // How far ahead it lies, only the run can tell: the document has no clock.
  if (!hasFormat('date-time', until)) report('invalid_value', path, 'must be a date and time with offset such as 2026-01-31T09:00:00Z')
}
