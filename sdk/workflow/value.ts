import type { Reference, SecretReference } from './reference'

/** What may stand where a value of the type `T` is wanted: the value itself, a reference to one, or an object or list of these. */
export type Value<T> = Reference<T> | Literal<T>

type Literal<T> = unknown extends T
  ? AnyLiteral
  : T extends string | number | boolean | null
    ? T
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: Value<T[K]> }
      : T extends object
        ? { readonly [K in keyof T]: Member<T, K> }
        : never

type AnyLiteral = string | number | boolean | null | readonly AnyValue[] | { readonly [name: string]: AnyValue }

/** Any value: nothing is known of what it is for. A secret is not among them. */
export type AnyValue = Reference<unknown> | AnyLiteral

/** A null that is not wanted counts as absent, so that what may be absent takes what may be null. */
type Member<T, K extends keyof T> = {} extends Pick<T, K> ? Value<Exclude<T[K], undefined> | null> : Value<T[K]>

/** The input of a job or a workflow. */
export type PlainInput<In> = { readonly [K in keyof In]: Member<In, K> }

/** The input of a tool, which alone may be given secrets. */
export type ToolInput<In> = { readonly [K in keyof In]: Member<In, K> | SecretReference<MaybeNull<In, K>> }

type MaybeNull<T, K extends keyof T> = {} extends Pick<T, K> ? T[K] | null : T[K]

/** `with`, which may be left out where everything in it may. */
export type With<In, Given> = {} extends In ? { with?: Given } : { with: Given }

/** The type that a value has once its references are resolved. */
export type Resolved<V> = [AnyValue] extends [V]
  ? unknown
  : V extends Reference<infer T>
    ? T
    : V extends string | number | boolean | null
      ? V
      : V extends readonly unknown[]
        ? { -readonly [K in keyof V]: Resolved<V[K]> }
        : V extends object
          ? { -readonly [K in keyof V]: Resolved<V[K]> }
          : never
