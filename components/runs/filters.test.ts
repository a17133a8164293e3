import { expect, it } from 'vitest'
import { filtersFrom, filtersQuery, isFiltered, listInput } from './filters'

it('keeps filters in the address, both ways', () => {
  const filters = { status: 'parked', slug: 'expense-approval', mine: true } as const
  expect(filtersQuery(filters)).toBe('?status=parked&workflow=expense-approval&mine=1')
  expect(filtersFrom({ status: 'parked', workflow: 'expense-approval', mine: '1' })).toEqual(filters)
})

it('shows everything for an address it cannot read', () => {
  const filters = filtersFrom({ status: 'constructor', workflow: ['a', 'b'], mine: 'yes', other: '1' })
  expect(isFiltered(filters)).toBe(false)
  expect(filtersQuery(filters)).toBe('')
  expect(listInput('finance', filters)).toEqual({ team: 'finance' })
})

it('asks the server for exactly what the address says', () => {
  expect(listInput('finance', { status: 'running', slug: 'a', mine: true })).toEqual({
    team: 'finance',
    status: ['running'],
    slug: 'a',
    mine: true,
  })
})
