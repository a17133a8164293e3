import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The kinds of cases, which are the folders of the kit. */
export const KINDS = ['valid', 'invalid', 'text', 'references', 'predicates', 'inputs', 'runs'] as const
export type CaseKind = (typeof KINDS)[number]

/** The files of one kind of cases, in order of their names, with what they abbreviate written out (README.md, "Layout"). */
export function caseFiles<Case>(kind: CaseKind): { file: string; cases: Case[] }[] {
  const folder = join(import.meta.dirname, 'cases', kind)
  return readdirSync(folder)
    .sort()
    .map((file) => ({ file: `${kind}/${file}`, cases: JSON.parse(readFileSync(join(folder, file), 'utf8'), writtenOut) as Case[] }))
}

/** All cases of one kind. */
export const casesOf = <Case>(kind: CaseKind): Case[] => caseFiles<Case>(kind).flatMap(({ cases }) => cases)

/** Reads `{ "$repeat", "times" }` and `{ "$join" }`, from the inside out. */
function writtenOut(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if ('$repeat' in value && 'times' in value) return joined(Array.from({ length: Number(value.times) }, () => value.$repeat))
  return '$join' in value ? joined(value.$join as unknown[]) : value
}

const joined = (parts: unknown[]) => (typeof parts[0] === 'string' ? parts.join('') : parts.flat())
