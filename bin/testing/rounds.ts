import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

/** How many rounds were asked for: `--rounds N`. Ends this process with a sentence where that is no number. */
export function roundsAsked(usual: number): number {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: String(usual) } } })
  const rounds = Number(values.rounds)
  if (Number.isInteger(rounds) && rounds >= 1) return rounds
  console.error('--rounds takes a number of 1 or more.')
  process.exit(1)
}

/**
 * Where each of so many rounds of a long proof leaves its result. They are kept by the commit they were made of: what was broken off
 * goes on where it was, and another source begins anew.
 */
export function roundFiles(proof: string, rounds: number): string[] {
  const folder = path.resolve('.tmp', proof, commit())
  fs.mkdirSync(folder, { recursive: true })
  return Array.from({ length: rounds }, (_, i) => path.join(folder, `round-${i + 1}.json`))
}

/** What a round left; null where it was not made yet. */
export const readRound = <T>(file: string): T | null => (fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as T) : null)

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown' // unpacked from an archive
  }
}
