import { expect, it } from 'vitest'
import { tourOf } from './tour'

const place = (slug: string, level: string | null, ...roles: string[]) => ({ slug, level, roles })
const PEOPLE = {
  frida: { id: 'frida', name: 'Frida', teams: [place('finance', 'owner')] },
  tom: { id: 'tom', name: 'Tom', teams: [place('finance', 'member')] },
  mia: { id: 'mia', name: 'Mia', teams: [place('finance', 'member', 'manager')] },
  rita: { id: 'rita', name: 'Rita', teams: [place('finance', null, 'manager')] },
  lena: { id: 'lena', name: 'Lena', teams: [place('logistics', 'member')] },
  sam: { id: 'sam', name: 'Sam', teams: [place('studio', 'owner', 'manager')] },
}
type Name = keyof typeof PEOPLE
const { rita: _, ...SEEDED } = PEOPLE

const tour = (name: Name, seen: Partial<Parameters<typeof tourOf>[0]> = {}) => {
  const me = PEOPLE[name]
  const startsIn = me.teams.find(({ level }) => level !== null)?.slug ?? null
  const nothing = { people: Object.values(SEEDED), role: 'manager', open: null, approval: null, doneHref: null }
  const found = tourOf({ me, startsIn, ...nothing, ...seen })
  return found && { now: found.now, steps: found.steps.length, starter: found.starter?.id ?? null, decider: found.decider?.id ?? null }
}
const waits = (team: string, ...waitingFor: string[]) => ({ open: { team, waitingFor } })

it('leads from starting to looking at what it did', () => {
  expect(tour('tom')).toEqual({ now: 'start', steps: 4, starter: null, decider: null })
  expect(tour('tom', waits('finance', 'Mia'))).toEqual({ now: 'become', steps: 4, starter: null, decider: 'mia' })
  expect(tour('mia', { ...waits('finance', 'Mia'), approval: 'a' })).toMatchObject({ now: 'approve', steps: 4 })
  expect(tour('tom', { doneHref: '/run' })).toMatchObject({ now: 'look', steps: 4 })
})

it('offers nobody who could not decide that very run, and leaves the approval away where nobody ever could', () => {
  for (const [name, team] of [
    ['lena', 'logistics'],
    ['sam', 'studio'],
  ] as const) {
    expect(tour(name)).toEqual({ now: 'start', steps: 2, starter: null, decider: null })
    expect(tour(name, waits(team))).toEqual({ now: 'start', steps: 2, starter: null, decider: null })
    expect(tour(name, { doneHref: '/run' })).toMatchObject({ now: 'look', steps: 2 })
  }
  // A namesake elsewhere is not who the run waits for.
  expect(tour('lena', waits('logistics', 'Mia'))).toMatchObject({ decider: null })
})

it('has the example started by somebody else where one is the only manager, or may start nothing', () => {
  expect(tour('mia')).toEqual({ now: 'start', steps: 4, starter: 'tom', decider: null })
  expect(tour('mia', { ...waits('finance'), doneHref: '/run' })).toMatchObject({ now: 'look' })
  expect(tour('mia', { people: Object.values(PEOPLE) })).toMatchObject({ starter: null })
  expect(tour('rita', { people: Object.values(PEOPLE) })).toMatchObject({ now: 'start', steps: 4, starter: 'tom' })
  expect(tour('rita', { people: [PEOPLE.rita] })).toBeNull()
})
