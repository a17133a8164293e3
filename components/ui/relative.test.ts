import { expect, it } from 'vitest'
import { relative } from './relative'

const DAY = 86_400

it.each([
  [3, 'now'],
  [45, 'in 45 seconds'],
  [-59.6, '1 minute ago'],
  [89 * 60, 'in 1 hour'],
  [3600 - 5, 'in 1 hour'],
  [-3 * 3600, '3 hours ago'],
  [3 * DAY - 2, 'in 3 days'],
  [7 * DAY - 60, 'in 7 days'],
  [90 * DAY - 60, 'in 3 months'],
  [365 * DAY - 60, 'in 12 months'],
  [-366 * DAY, 'last year'],
])('%d seconds from now is "%s"', (seconds, words) => expect(relative(seconds * 1000, 0)).toBe(words))
