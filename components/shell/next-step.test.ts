import { expect, it } from 'vitest'
import { nextStep } from './next-step'

const nothing = { approval: null, isWaiting: false, othersDecide: true, doneHref: null }

it('leads from starting to looking at what it did', () => {
  expect(nextStep(nothing)).toBe(0)
  expect(nextStep({ ...nothing, isWaiting: true })).toBe(1)
  expect(nextStep({ ...nothing, isWaiting: true, approval: 'a' })).toBe(2)
  expect(nextStep({ ...nothing, doneHref: '/run' })).toBe(3)
})

it('does not send the only manager back because of a run of her own', () => {
  const manager = { ...nothing, isWaiting: true, othersDecide: false }
  expect(nextStep({ ...manager, approval: 'a' })).toBe(2)
  expect(nextStep({ ...manager, doneHref: '/run' })).toBe(3)
  expect(nextStep(manager)).toBe(0)
})
