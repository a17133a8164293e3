import { expect, it } from 'vitest'
import { emptyWords, groupsOf } from './groups'

it('has under “Waiting for me” only what this person may decide', () => {
  const [mine, own] = [{ cannotDecide: null }, { cannotDecide: 'You started this run, so somebody else must decide.' }]
  expect(groupsOf('waiting', [mine, own])).toEqual({ here: [mine], elsewhere: [own] })
  expect(groupsOf('decided', [own])).toEqual({ here: [own], elsewhere: [] })
})

it('does not claim that nobody decided anything, where only others did', () => {
  expect(emptyWords('decided', []).hint).toMatch(/^You have no role that decides approvals/)
  expect(emptyWords('decided', ['manager']).hint).toContain('where they ask for a role of yours: “manager”')
  expect(emptyWords('expired', ['manager']).hint).toContain('that nobody answered in time')
})
