type Place = { slug: string; level: string | null; roles: string[] }
type Person = { id: string; name: string; teams: Place[] }

type Seen<P extends Person> = {
  /** who looks, with their own places */
  me: Pick<Person, 'id' | 'teams'>
  /** whom the demo lets one be */
  people: P[]
  /** the team in which this person may start the example; null: in none */
  startsIn: string | null
  /** the role that decides the example's approval */
  role: string
  /** the newest example, where it waits for its approval: its team, and by name who may decide it now */
  open: { team: string; waitingFor: string[] } | null
  /** an approval of the example that this person may decide */
  approval: string | null
  /** the newest finished example that this person sees */
  doneHref: string | null
}

export type TourStep = 'start' | 'become' | 'approve' | 'look'

export type Tour<P> = {
  /** Without the middle two where nobody could ever decide what this person starts. */
  steps: TourStep[]
  /** which of them comes next */
  now: TourStep
  /** whom to be in order to start it; null: this person starts it themselves */
  starter: P | null
  /** whom to be in order to decide what waits */
  decider: P | null
}

/** The demo's way in for this person, or null where there is none: nobody here could start the example. */
export function tourOf<P extends Person>({ me, people, startsIn, role, open, approval, doneHref }: Seen<P>): Tour<P> | null {
  const placeIn = (person: Pick<Person, 'teams'>, team: string | null) => person.teams.find(({ slug }) => slug === team)
  const team = startsIn ?? me.teams.find(({ roles }) => roles.includes(role))?.slug ?? null
  const others = people.filter(({ id }) => id !== me.id)
  const decides = (person: Pick<Person, 'teams'>, where: string | null) => placeIn(person, where)?.roles.includes(role) ?? false
  const members = others.filter((person) => placeIn(person, team)?.level)
  const member = members.find((person) => placeIn(person, team)?.level === 'member' && !decides(person, team)) ?? members[0] ?? null
  const otherDecides = others.some((person) => decides(person, team))
  // Whoever is the only one to decide has it started by somebody else: a run of their own nobody could approve.
  const starter = startsIn === null || (decides(me, team) && !otherDecides) ? member : null
  if (startsIn === null && starter === null) return null
  const canBeDecided = approval !== null || otherDecides || (decides(me, team) && member !== null)
  if (!canBeDecided) return { steps: ['start', 'look'], now: doneHref === null ? 'start' : 'look', starter: null, decider: null }
  const decider = open === null ? null : (others.find((one) => open.waitingFor.includes(one.name) && decides(one, open.team)) ?? null)
  const afterStart = decider === null ? (doneHref === null ? 'start' : 'look') : 'become'
  return { steps: ['start', 'become', 'approve', 'look'], now: approval === null ? afterStart : 'approve', starter, decider }
}
