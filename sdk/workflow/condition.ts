import type { Predicate } from '@/spec'
import type { Reference } from './reference'

declare const CONDITION: unique symbol

/** When a branch is taken. */
export interface Condition {
  readonly [CONDITION]: true
}

/** What may be asked of a value of the type `T`. Another type of value fails the step, so that it does not compile where it can be seen. */
export type Conditions<T> = Always<T> & (unknown extends T ? Ordered<string | number> & Containing<unknown> : ByType<T>)

type ByType<T> = [T] extends [number]
  ? Ordered<number>
  : [T] extends [string]
    ? Ordered<string> & Containing<string>
    : [T] extends [readonly (infer E)[]]
      ? Containing<E>
      : unknown

interface Always<T> {
  /** The same JSON; a number is never a text. */
  eq(right: Right<T> | null): Condition
  ne(right: Right<T> | null): Condition
  /** Not null. */
  exists(): Condition
  /** Null, "", [] or {}; not false, not 0. */
  empty(): Condition
}

interface Ordered<T> {
  lt(right: Reference<T> | T): Condition
  gt(right: Reference<T> | T): Condition
}

/** Of a text: a part of it. Of a list: one of its items. */
interface Containing<E> {
  contains(right: Right<E>): Condition
}

/** One reference, or a literal that holds none. */
type Right<T> = Reference<Widened<T> | null> | T
type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T

/** `when: null` is for "otherwise". */
interface Asked {
  left: object
  op: Predicate['op']
  right?: unknown
}

const conditions = new WeakMap<object, Asked | null>()

export const otherwise = made(null)

/** Null for "otherwise"; undefined for what is no condition. */
export const askedBy = (condition: object) => conditions.get(condition)

/** The conditions on a value, by the names that the format has for them. */
export function conditionsOn(left: object): Conditions<unknown> {
  const binary = (op: Predicate['op']) => (right: unknown) => made({ left, op, right })
  const unary = (op: Predicate['op']) => () => made({ left, op })
  return {
    eq: binary('eq'),
    ne: binary('ne'),
    lt: binary('lt'),
    gt: binary('gt'),
    contains: binary('contains'),
    exists: unary('exists'),
    empty: unary('empty'),
  }
}

function made(asked: Asked | null): Condition {
  const condition = Object.freeze({})
  conditions.set(condition, asked)
  return condition as Condition
}
