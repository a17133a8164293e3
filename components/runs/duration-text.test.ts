import { expect, it } from 'vitest'
import { durationText } from './duration-text'

it.each([
  [-5, 'under 0.1 s'],
  [0, 'under 0.1 s'],
  [99, 'under 0.1 s'],
  [100, '0.1 s'],
  [449, '0.4 s'],
  [9_999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [185_000, '3 min 5 s'],
  [3_600_000, '1 h'],
  [3_659_000, '1 h'],
  [187_200_000, '2 d 4 h'],
])('says %i ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
