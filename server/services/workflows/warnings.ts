import type { Db } from '@/db/client'
import { warningsOf, type WorkflowSpec } from '@/spec'
import type { ProblemDetail } from '../../errors'
import { knownTo } from '../../store/postgres/known'
import { materialise } from '../../store/postgres/materialise'
import { withPositions } from './problems'
import { storedSpec } from './spec'

/** What may be a mistake in a valid document, by what there is in this team now, with places in its text. Never a reason to refuse it. */
export async function warningsIn(db: Db, teamId: string, source: string): Promise<ProblemDetail[]> {
  await materialise(db, teamId)
  const { workflows, ...known } = await knownTo(db, teamId)
  const catalogue = {
    ...known,
    workflows: new Map(
      [...workflows].map(([slug, { version, spec }]) => {
        const { title, input = {}, output = {} } = storedSpec(spec)
        return [slug, { title, input, output: Object.keys(output), version }]
      }),
    ),
  }
  // As it is written, not in canonical order: the places are looked for in the text.
  return withPositions(source, warningsOf(JSON.parse(source) as WorkflowSpec, catalogue))
}
