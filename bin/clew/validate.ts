import { parseWorkflow, type Problem, type Warning, warningsOf } from '@/spec'
import { knownThings } from './catalogue'
import { lineOf, placed, type Placed } from './document'
import type { Command } from './command'
import { Unreadable } from './terminal'

interface Report {
  file: string
  problems: Placed<Problem>[]
  warnings: Placed<Warning>[]
}

/** Checks every file, also after one that cannot be read: a list of files is looked through in one go. */
export const validate: Command = async (files, { json, plugins }, terminal) => {
  const known = await knownThings(plugins, terminal)
  const reports: Report[] = []
  let unreadable = 0
  for (const file of files) {
    try {
      const text = terminal.read(file)
      const result = parseWorkflow(text)
      reports.push({
        file,
        problems: result.ok ? [] : placed(text, result.problems),
        warnings: result.ok ? placed(text, warningsOf(JSON.parse(text) as typeof result.spec, known)) : [],
      })
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      terminal.complain(error.message)
      unreadable++
    }
  }
  if (json) terminal.print(JSON.stringify(reports, null, 2))
  else for (const report of reports) terminal.print(textOf(report))
  if (unreadable > 0) return 2
  return reports.some(({ problems }) => problems.length > 0) ? 1 : 0
}

function textOf({ file, problems, warnings }: Report): string {
  const lines = [
    ...problems.map((problem) => lineOf(file, 'error', problem)),
    ...warnings.map((warning) => lineOf(file, 'warning', warning)),
  ]
  const name = file === '-' ? '<stdin>' : file
  if (problems.length > 0) return [...lines, `${name}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`].join('\n')
  return [...lines, `${name}: valid`].join('\n')
}
