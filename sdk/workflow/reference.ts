declare const TYPE: unique symbol
declare const SECRET: unique symbol

/** Refers to a value of the type `T`, which is there when the run comes to it. Stands wherever such a value may stand. */
export interface Reference<out T> {
  readonly [TYPE]: T
}

/** Refers to a secret input. Stands only in the input of a tool. */
export interface SecretReference<out T> {
  readonly [SECRET]: T
}

/** A reference with its members: `chat.output.reply` refers to what the reference `chat.output` has under `reply`. */
export type Ref<T> = Reference<T> & Members<T>

type Members<T> = unknown extends T
  ? unknown
  : [NonNullable<T>] extends [readonly unknown[]]
    ? unknown
    : [NonNullable<T>] extends [object]
      ? { readonly [K in KnownKeys<NonNullable<T>>]: Ref<MemberOf<T, K>> }
      : unknown

/** The keys that are there by name: those of a record or a list are asked for with `at`. */
type KnownKeys<T> = T extends unknown ? keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: 1 } : never

/** What a path leads to: null where any alternative of `T` has no such member. */
type MemberOf<T, K> = unknown extends T
  ? unknown
  : T extends null | undefined
    ? null
    : T extends readonly (infer E)[]
      ? K extends number
        ? Plain<E> | null
        : null
      : K extends keyof T
        ? Plain<T[K]> | (string extends keyof T ? null : never)
        : null

/** JSON has no `undefined`: what may be absent reads as null. `any` says no more than `unknown`. */
export type Plain<T> = unknown extends T ? unknown : undefined extends T ? Exclude<T, undefined> | null : T

/** What `at` refers to. */
export type At<T, K extends string | number> = Ref<MemberOf<T, K>>

/** `owner`: the workflow. `scope`: the map within whose `do` alone it means something. */
interface Place {
  owner: object
  root: string
  path: readonly string[]
  scope: object | undefined
}

const places = new WeakMap<object, Place>()

/** A reference to `root` (such as `input.amount`), every property of which is the reference to that member. */
export function makeReference(owner: object, root: string, scope?: object): object {
  return reference({ owner, root, path: [], scope })
}

/** The reference to a member, whatever its name. */
export function memberOf(from: object, key: string | number): object {
  const place = placeOf(from)
  if (!place) throw new TypeError('at() takes a reference and the name or the index of a member')
  return reference({ ...place, path: [...place.path, String(key)] })
}

/** What a reference refers to; undefined for anything else. */
export function placeOf(value: object): Place | undefined {
  return places.get(value)
}

/** As the format writes it. */
export const referenceText = ({ root, path }: Place) => `\${${[root, ...path].join('.')}}`

function reference(place: Place): object {
  const text = referenceText(place)
  const refuse = (what: string) => {
    throw new TypeError(`The reference ${text} ${what}: its value is there only when the workflow runs. Leave such work to a tool.`)
  }
  // Only for people who print it. Everything else that is asked of a reference by name is a member, `then` and `toJSON` too.
  const target = Object.freeze(Object.assign(Object.create(null), { [Symbol.for('nodejs.util.inspect.custom')]: () => text }) as object)
  const made = new Proxy(target, {
    get: (_, key) => {
      if (typeof key === 'string') return memberOf(made, key)
      return key === Symbol.toPrimitive ? () => refuse('cannot be put into a text or computed with') : Reflect.get(target, key)
    },
    // Else `{ ...reference }` would be an empty object without a word.
    ownKeys: () => refuse('has no members to list or copy'),
  })
  places.set(made, place)
  return made
}
