import type { Field } from './schema'

/*
 * Formats of string fields. Every expression is linear: values come from outside and may be long.
 * Dates are checked by the calendar, because `Date` would accept 31 February.
 */

const EMAIL_LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i
const DOMAIN_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
const URI_PART = (more: string) => `(?:[a-z0-9\\-._~!$&'()*+,;=${more}]|%[0-9a-f]{2})*`
/** The generic syntax of RFC 3986; what stands in brackets as a host is an address of numbers, or of a kind to come. */
const URI = new RegExp(
  `^[a-z][a-z0-9+.-]*:(?://(?:${URI_PART(':')}@)?(?:\\[[0-9a-f:.]+\\]|\\[v[0-9a-f]+\\.[a-z0-9\\-._~!$&'()*+,;=:]+\\]|${URI_PART('')})(?::[0-9]*)?` +
    `(?:/${URI_PART(':@/')})?|(?!//)${URI_PART(':@/')})(?:\\?${URI_PART(':@/?')})?(?:#${URI_PART(':@/?')})?$`,
  'i',
)
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

type Format = NonNullable<Field['format']>

export const FORMAT_WORDS: Record<Format, string> = {
  multiline: 'text',
  email: 'an e-mail address',
  uri: 'an absolute address such as https://example.com',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time with offset such as 2026-01-31T09:00:00Z',
}

/** Whether a text has a format: e-mail as HTML defines it, URI per RFC 3986 (absolute), date and date-time per RFC 3339 without leap seconds. */
export function hasFormat(format: Format, text: string): boolean {
  switch (format) {
    case 'multiline':
      return true
    case 'email':
      return isEmail(text)
    case 'uri':
      return text.length <= 8192 && URI.test(text)
    case 'date':
      return isDate(text)
    case 'date-time':
      return isDate(text.slice(0, 10)) && /^t$/i.test(text.slice(10, 11)) && TIME.test(text.slice(11))
  }
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1)
  return at > 0 && text.length <= 254 && EMAIL_LOCAL.test(text.slice(0, at)) && domain.split('.').every((label) => DOMAIN_LABEL.test(label))
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  return days !== undefined && day >= 1 && day <= days
}
