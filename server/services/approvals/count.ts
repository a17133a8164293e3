import { countOpenGatesFor, openGatesFor } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { readable } from './list'

/** How many approvals wait for this person. */
export async function countApprovals({ db, principal }: Ctx): Promise<{ waiting: number }> {
  const { person, via } = principal
  if (via.kind === 'session') return { waiting: await countOpenGatesFor(db, person.id) }
  return { waiting: readable(principal, await openGatesFor(db, person.id)).length }
}
