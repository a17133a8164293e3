import { countOpenGatesFor, decisionsOf, openGatesFor } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { readable } from './list'
import { cannotDecide } from './refusal'

/** How many approvals wait for this person: those they may decide, not those they only see. */
export async function countApprovals({ db, principal }: Ctx): Promise<{ waiting: number }> {
  const { person, via } = principal
  if (via.kind === 'session') return { waiting: await countOpenGatesFor(db, person.id) }
  const gates = readable(principal, await openGatesFor(db, person.id))
  const decisions = await decisionsOf(
    db,
    gates.map(({ id }) => id),
  )
  return { waiting: gates.filter((gate) => cannotDecide(principal, gate, decisions) === null).length }
}
