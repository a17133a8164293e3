import type { Field, Fields } from '@/spec'
import { given } from './given'
import type { Ref, SecretReference } from './reference'

declare const FIELD: unique symbol

/** A field as the format has it, which knows the type of its values. `Use`: what else there is to it, that not every place takes. */
export type TypedField<T = unknown, Use = unknown, Properties = unknown> = Field & {
  readonly [FIELD]: { value: T; use: Use; properties: Properties }
}

/** What a run is started with. */
export type InputFields = { readonly [name: string]: TypedField }
/** What a person fills in while approving. No secrets: it becomes output, which is there to be read. */
export type FormFields = { readonly [name: string]: TypedField<unknown, 'default'> }
/** What a model is asked for. */
export type AnswerFields = { readonly [name: string]: TypedField<unknown, never> }

type ValueOf<F> = F extends TypedField<infer T> ? T : never

/** The values of fields once they are there: null where nothing was given. */
export type ValuesOf<Fs> = { -readonly [K in keyof Fs]: ValueOf<Fs[K]> }

type MayBeAbsent<F> = F extends TypedField<infer T, infer Use> ? (null extends T ? true : 'default' extends Use ? true : false) : false
/** The values of fields as somebody gives them. */
export type GivenTo<Fs> = { -readonly [K in keyof Fs as MayBeAbsent<Fs[K]> extends true ? never : K]: ValueOf<Fs[K]> } & {
  -readonly [K in keyof Fs as MayBeAbsent<Fs[K]> extends true ? K : never]?: ValueOf<Fs[K]>
}

/** What a reference to an input is: one to a secret, or to an object that holds some, stands in fewer places. */
type InputRef<F, Null = never> =
  F extends TypedField<infer T, infer Use, infer Properties>
    ? 'secret' extends Use
      ? Properties extends InputFields
        ? { readonly [K in keyof Properties]: InputRef<Properties[K], Null | Extract<T, null>> }
        : SecretReference<T | Null>
      : Ref<T | Null>
    : never
export type InputRefs<Fs> = { readonly [K in keyof Fs]: InputRef<Fs[K]> }

interface Texts {
  title?: string
  description?: string
}
interface Common<Required, Secret, Default> extends Texts {
  required?: Required
  secret?: Secret
  default?: Default
}
type Bool = boolean
/** A secret takes no default. */
type DefaultOf<T, Secret> = (Secret extends true ? never : T) | undefined
type Filled<T, Required, Default> = Required extends false ? (Default extends undefined ? T | null : T) : T
type UseOf<Secret, Default> = (Secret extends true ? 'secret' : never) | (Default extends undefined ? never : 'default')
type Scalar<T, Required, Secret, Default> = TypedField<Filled<T, Required, Default>, UseOf<Secret, Default>, null>
type UsesIn<Fs> = Fs[keyof Fs] extends TypedField<unknown, infer Use> ? Use : never

/** Fields of `input`, of a form, of what an agent answers: `field.number({ title: 'Amount', minimum: 0 })`. */
export const field = {
  string: <
    const T extends string = string,
    const R extends Bool = true,
    const S extends Bool = false,
    const D extends DefaultOf<T, S> = undefined,
  >(
    options: Common<R, S, D> & {
      enum?: readonly T[]
      format?: 'multiline' | 'email' | 'uri' | 'date' | 'date-time'
      minLength?: number
      maxLength?: number
    } = {},
  ) => {
    const { minLength: min_length, maxLength: max_length, ...rest } = options
    return make<Scalar<T, R, S, D>>('string', { ...rest, min_length, max_length })
  },
  number: numeric('number'),
  integer: numeric('integer'),
  boolean: <const R extends Bool = true, const S extends Bool = false, const D extends DefaultOf<boolean, S> = undefined>(
    options: Common<R, S, D> = {},
  ) => make<Scalar<boolean, R, S, D>>('boolean', options),
  array: <
    F extends TypedField,
    const R extends Bool = true,
    const S extends Bool = false,
    const D extends readonly ValueOf<F>[] | undefined = undefined,
  >(
    items: F,
    options: Common<R, S, D> = {},
  ) => make<TypedField<Filled<ValueOf<F>[], R, D>, UsesIn<{ items: F }> | UseOf<S, D>, null>>('array', { ...options, items }),
  object: <
    Fs extends InputFields,
    const R extends Bool = true,
    const S extends Bool = false,
    const D extends ValuesOf<Fs> | undefined = undefined,
  >(
    properties: Fs,
    options: Common<R, S, D> = {},
  ) =>
    make<TypedField<Filled<ValuesOf<Fs>, R, D>, UsesIn<Fs> | UseOf<S, D>, S extends true ? null : Fs>>('object', {
      ...options,
      properties: properties as Fields,
    }),
}

function numeric(type: 'number' | 'integer') {
  return <
    const T extends number = number,
    const R extends Bool = true,
    const S extends Bool = false,
    const D extends DefaultOf<T, S> = undefined,
  >(
    options: Common<R, S, D> & { enum?: readonly T[]; minimum?: number; maximum?: number } = {},
  ) => make<Scalar<T, R, S, D>>(type, options)
}

const make = <F>(type: Field['type'], rest: object) => given({ type, ...rest }) as unknown as F
