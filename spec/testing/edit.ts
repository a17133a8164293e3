import * as fc from 'fast-check'
import type { Json } from '..'
import { arbitraryLiteral } from './arbitrary-spec'

interface Edit {
  at: number
  how: 'drop' | 'replace' | 'swap' | 'rename' | 'repeat'
  value: Json
}

const arbitraryEdit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('drop', 'replace', 'swap', 'rename', 'repeat'),
  value: arbitraryLiteral,
})
/** One to `most` blind changes of a document's structure, which know nothing of the format. */
export const arbitraryEdits = (most: number) => fc.array(arbitraryEdit, { minLength: 1, maxLength: most })

/** A copy of a document with these changes. */
export function edited(document: object, edits: readonly Edit[]): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json
  for (const edit of edits) change(copy, edit)
  // Written and read again: a dropped item is a hole, and a hole is no JSON.
  return JSON.parse(JSON.stringify(copy)) as Json
}

/** Changes one place: the `at`th of all members and items. */
function change(document: Json, { at, how, value }: Edit): void {
  const places: [Record<string, Json>, string][] = []
  const visit = (node: Json) => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, inner] of Object.entries(node)) {
      places.push([node as Record<string, Json>, key])
      visit(inner)
    }
  }
  visit(document)
  const [parent, key] = places[at % Math.max(places.length, 1)] ?? []
  if (parent === undefined || key === undefined) return
  const other = places[(at * 7 + 3) % places.length]
  const old = parent[key] ?? null
  if (how === 'drop') delete parent[key]
  else if (how === 'replace') parent[key] = value
  else if (how === 'swap' && other !== undefined) parent[key] = structuredClone(other[0][other[1]] ?? null)
  else if (how === 'repeat' && Array.isArray(parent)) (parent as Json[]).push(structuredClone(old))
  else {
    parent[`${key}x`] = old
    delete parent[key]
  }
}
