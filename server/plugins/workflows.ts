import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseWorkflow, type ParseResult, type Problem, problemPositions, validateWorkflow } from '@/spec'
import { type LoadedWorkflow, PluginProblem } from './model'

/**
 * The workflows of a plugin: `workflows/*.json`, and those its module exports.
 * @throws {PluginProblem} every problem of every document, as file:line:column where there is a file
 */
export async function loadWorkflows(folder: string, exported: readonly unknown[]): Promise<LoadedWorkflow[]> {
  const problems: string[] = []
  const workflows: LoadedWorkflow[] = []
  const take = (parsed: ParseResult, placesOf: (problems: Problem[]) => string[]) => {
    if (parsed.ok) return void workflows.push({ slug: parsed.spec.slug, spec: parsed.canonical, hash: parsed.hash })
    const places = placesOf(parsed.problems)
    for (const [i, { message, hint }] of parsed.problems.entries()) problems.push(`${places[i]}: ${message}${hint ? ` (${hint})` : ''}`)
  }
  for (const name of await jsonFiles(path.join(folder, 'workflows'))) {
    const text = await readFile(path.join(folder, 'workflows', name), 'utf8')
    take(parseWorkflow(text), (found) => problemPositions(text, found).map(({ line, column }) => `workflows/${name}:${line}:${column}`))
  }
  for (const [index, value] of exported.entries())
    take(validateWorkflow(value), (found) => found.map(({ path: at }) => `index.ts: workflows[${index}]${at}`))
  if (problems.length > 0) throw new PluginProblem(problems.join('\n'))
  return workflows
}

async function jsonFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  // What systems and editors leave in folders begins with a dot, and is nobody's workflow.
  const visible = names.filter((name) => !name.startsWith('.'))
  const strange = visible.filter((name) => !name.endsWith('.json'))
  if (strange.length > 0) throw new PluginProblem(`workflows/ holds what is no workflow: ${strange.join(', ')}`)
  return visible.sort()
}
