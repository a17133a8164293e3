import { referencesIn, type Json, type Scope } from '@/spec'
import type { RunRecord } from './ports'

/** The steps whose outputs these values refer to. */
export function stepsIn(...values: (Json | undefined)[]): string[] {
  const references = values.flatMap((value) => (value === undefined ? [] : referencesIn(value)))
  return [...new Set(references.flatMap((reference) => (reference.root === 'steps' ? [reference.step] : [])))]
}

/** What references of this run resolve against. */
export function scopeOf(
  run: Pick<RunRecord, 'id' | 'input' | 'principal'>,
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
