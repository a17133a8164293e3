import { referencesIn, type Json, type Scope } from '@/spec'
import type { Given, RunRecord, RunTx } from './ports'

/** The steps whose outputs these values refer to. */
export function stepsIn(...values: (Json | undefined)[]): string[] {
  const references = values.flatMap((value) => (value === undefined ? [] : referencesIn(value)))
  return [...new Set(references.flatMap((reference) => (reference.root === 'steps' ? [reference.step] : [])))]
}

/** What these values refer to in this run. */
export async function scopeFor(tx: Pick<RunTx, 'run' | 'outputs'>, ...values: (Json | undefined)[]): Promise<Scope> {
  const input = refersToInput(...values) ? (await tx.run.given()).input : {}
  return scopeOf({ ...tx.run, input }, await tx.outputs(stepsIn(...values)))
}

export const refersToInput = (...values: (Json | undefined)[]): boolean =>
  values.some((value) => value !== undefined && referencesIn(value).some(({ root }) => root === 'input'))

/** What references of this run resolve against. */
export function scopeOf(
  run: Pick<RunRecord, 'id' | 'principal'> & Pick<Given, 'input'>,
  outputs: ReadonlyMap<string, Json>,
  item?: { value: Json; index: number },
): Scope {
  const { userId, teamId, locale } = run.principal
  return {
    input: run.input,
    output: (stepId) => outputs.get(stepId),
    run: { id: run.id },
    principal: { user_id: userId, team_id: teamId, locale },
    ...(item ? { item: item.value, index: item.index } : {}),
  }
}
