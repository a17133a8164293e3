/** `bare`: a choice, of which only the branches can be followed. */
interface FoundEntry {
  owner: object
  text: string
  bare: boolean
}

const entries = new WeakMap<object, FoundEntry>()

/** What stands in `after` as `text`, with what one gets at through it. */
function makeEntry<T extends object>(owner: object, text: string, members: T, bare = false): Readonly<T> {
  // Without a prototype, so that a branch may have any name.
  const entry = Object.freeze(Object.assign(Object.create(null), members) as T)
  entries.set(entry, { owner, text, bare })
  return entry
}

/** A step with its ports, each as `id.port`. */
export function makeStep<T extends object>(owner: object, id: string, ports: readonly string[], members: T, bare = false): Readonly<T> {
  const made = Object.fromEntries(ports.map((port) => [port, makeEntry(owner, `${id}.${port}`, {})]))
  return makeEntry(owner, id, { ...members, ...made }, bare)
}

/** What an entry says; undefined for anything else. */
export const entryOf = (value: object) => entries.get(value)
