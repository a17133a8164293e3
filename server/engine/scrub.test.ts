import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HIDDEN, type Json } from '@/spec'
import { scrubOf } from './scrub'

describe('a secret is taken out', () => {
  test.each<[string, Json, string, string]>([
    ['wherever it stands', 'hunter2', 'xhunter2x hunter2', `x${HIDDEN}x ${HIDDEN}`],
    ['though its signs mean something in patterns', 'a.b*(c)|[d]\\^${e}', 'a.b*(c)|[d]\\^${e} axb', `${HIDDEN} axb`],
    ['as it stands in JSON', 'line\n"two"', JSON.stringify({ a: 'line\n"two"' }), `{"a":"${HIDDEN}"}`],
    ['as it stands in an address', 'p&ss wörd', 'https://x/?p=p%26ss%20w%C3%B6rd', `https://x/?p=${HIDDEN}`],
    ['a number', 12345, 'pin 12345', `pin ${HIDDEN}`],
    ['a short one as a word only', 'pi', 'pi: pipe, api, (pi)', `${HIDDEN}: pipe, api, (${HIDDEN})`],
    ['the longer one first', ['secret', 'secret-two'], 'secret-two secret', `${HIDDEN} ${HIDDEN}`],
    ['and nothing of which only white space is left', [' ', ''], 'a b', 'a b'],
  ])('%s', (_name, secret, text, shown) => {
    expect(scrubOf(true, secret).text(text)).toBe(shown)
  })

  test('from values at any depth, with their keys; a number that is one too', () => {
    const scrub = scrubOf(true, ['hunter2', 123456, 7])
    const value = { hunter2: [{ a: 'my hunter2', n: 123456, seven: 7, none: null, no: false }] }
    expect(scrub.value(value)).toEqual({ [HIDDEN]: [{ a: `my ${HIDDEN}`, n: HIDDEN, seven: 7, none: null, no: false }] })
  })

  test('whatever it is and whatever is around it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, unit: 'grapheme' }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(secret.trim() !== '' && !HIDDEN.includes(secret))
        expect(scrubOf(true, secret).text(`${before}${secret}${after}`)).not.toContain(secret)
      }),
    )
  })
})
