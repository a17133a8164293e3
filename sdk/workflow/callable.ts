import type { z } from 'zod'
import type { WorkflowSpec } from '@/spec'
import type { Plain } from './reference'

declare const TYPES: unique symbol

interface Types<In, Out> {
  readonly [TYPES]?: { input: In; output: Out }
}
/** What another plugin brings, by its name, with the types that one expects of it. */
export interface NamedTool<In, Out> extends Types<In, Out> {
  readonly name: string
}
export interface NamedJob<In, Out> extends Types<In, Out> {
  readonly kind: string
}
export interface NamedWorkflow<In, Out> extends Types<In, Out> {
  readonly slug: string
}

/** A workflow's document, which knows what it is started with and what it gives. */
export type Workflow<In = unknown, Out = unknown> = WorkflowSpec & Types<In, Out>

interface Schemas {
  readonly input: z.ZodType
  readonly output: z.ZodType
}
/** What `defineTool` gives, a name with types, or a bare name. */
export type AnyTool = (Schemas & { readonly name: string }) | NamedTool<unknown, unknown> | string
export type AnyJob = (Schemas & { readonly kind: string }) | NamedJob<unknown, unknown> | string
export type AnyWorkflow = Workflow | NamedWorkflow<unknown, unknown> | string

type Unknown = { [name: string]: unknown }

/** What is given to a tool, job or workflow. */
export type InputOf<C> = C extends { readonly input: infer S extends z.ZodType; readonly output: z.ZodType }
  ? z.input<S>
  : C extends Types<infer In, unknown>
    ? unknown extends In
      ? Unknown
      : In
    : Unknown

/** What a tool, job or workflow gives. */
export type OutputOf<C> = C extends { readonly input: z.ZodType; readonly output: infer S extends z.ZodType }
  ? Plain<z.output<S>>
  : C extends Types<unknown, infer Out>
    ? Plain<Out>
    : unknown

/** What another plugin brings, by name, with the types that you expect: `named.tool<{ email: string }, { id: string }>('crm.find')`. Nothing checks them. */
export const named = {
  tool: <In, Out>(name: string): NamedTool<In, Out> => ({ name }),
  job: <In, Out>(kind: string): NamedJob<In, Out> => ({ kind }),
  workflow: <In, Out>(slug: string): NamedWorkflow<In, Out> => ({ slug }),
}
