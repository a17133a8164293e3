import type { Db } from '@/db/client'
import { describe, type Description, toolOf, type WorkflowSpec } from '@/spec'
import type { TeamAccess } from '../../auth/can'
import { toolOverviews, type ToolOverview, workflowTitles } from '../../store/postgres/policies'

/** A stored definition's document. Its text was validated when it was published, so it is not validated again. */
export const storedSpec = (text: string) => JSON.parse(text) as WorkflowSpec

/** Everything that a document calls or lets an agent call, in steps, items of maps and compensations: tools by their names, jobs as `job:KIND`. */
export function calleesOf(spec: WorkflowSpec): string[] {
  const bodies = bodiesOf(spec)
  const called = bodies
    .flatMap((body) => (body.compensate ? [body, body.compensate] : [body]))
    .filter(({ uses }) => /^(tool|job):/.test(uses))
    .map(({ uses }) => uses.replace(/^tool:/, ''))
  return [...new Set([...called, ...bodies.flatMap((body) => body.tools ?? [])])]
}

/** The slugs of the workflows that a document starts. */
function childrenOf(spec: WorkflowSpec): string[] {
  const started = bodiesOf(spec).filter(({ uses }) => uses.startsWith('workflow:'))
  return [...new Set(started.map((body) => toolOf(body).replace(/@\d+$/, '')))]
}

const bodiesOf = (spec: WorkflowSpec) => spec.steps.map((step): Body => ('do' in step ? step.do : step))
type Body = { uses: string; tools?: readonly string[] | undefined; compensate?: { uses: string } | undefined }

/** What is known of everything that documents call and start: `callees` by `calleesOf`, `workflows` by slug. */
export type Known = { callees: ReadonlyMap<string, ToolOverview>; workflows: ReadonlyMap<string, { title: string }> }

/** As of now. Whatever is absent is called by its name. */
export async function knownOf(db: Db, { teamId, team }: TeamAccess, specs: readonly WorkflowSpec[]): Promise<Known> {
  const all = (of: (spec: WorkflowSpec) => string[]) => [...new Set(specs.flatMap(of))]
  const [callees, workflows] = await Promise.all([
    toolOverviews(db, team.orgId, all(calleesOf)),
    workflowTitles(db, teamId, all(childrenOf)),
  ])
  return { callees, workflows }
}

/** The document in plain words. */
export function inWords(spec: WorkflowSpec, { callees, workflows }: Known, locale: string): Description {
  const jobs = [...callees].filter(([name]) => name.startsWith('job:'))
  return describe(spec, { tools: callees, jobs: new Map(jobs.map(([name, job]) => [name.slice('job:'.length), job])), workflows }, locale)
}

const SUMMARY_STEPS = 2

/** One line: what its author says it does, else its first steps in plain words. */
export function summaryOf(spec: WorkflowSpec, known: Known, locale: string): { summary: string; summaryLang: string | null } {
  const own = spec.description?.trim().split('\n')[0]
  if (own) return { summary: own, summaryLang: null }
  const { lang, steps } = inWords(spec, known, locale)
  const sentences = steps.slice(0, SUMMARY_STEPS).map(({ sentence }) => sentence)
  return { summary: sentences.join(' '), summaryLang: lang }
}
