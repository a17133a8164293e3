import { styleText } from 'node:util'
import { onEnd, say } from '../console'
import type { Check, Result } from './checks'

/** Runs checks, says how each went, and sums up at the end. */
export class Runner {
  readonly #results = new Map<Check, Result>()

  /** @param only the names of the checks to run; all when left out */
  constructor(private readonly only?: string[]) {
    onEnd(() => process.exit(130)) // what still runs ends with us
  }

  /** @returns how it went, or null where it was not asked for */
  async run(check: Check): Promise<Result | null> {
    if (this.only && !this.only.includes(check.name)) return null
    const start = performance.now()
    const result = await check
      .run()
      .catch((error: unknown): Result => ({ passed: 0, failed: ['it could not be started'], output: String(error) }))
    this.#results.set(check, result)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const bad = result.failed.length
    say(
      `${bad ? styleText('red', '✗') : styleText('green', '✓')} ${check.title}: ${result.passed} passed${bad ? `, ${bad} failed` : ''} in ${seconds} s`,
    )
    return result
  }

  /** Prints what the failed checks wrote, then, as the last line, the sum; sets the exit code: 1 when anything failed or nothing ran. */
  finish(): void {
    for (const [check, { failed, output }] of this.#results) {
      if (failed.length === 0) continue
      say(`\n${styleText('bold', `── ${check.title} ──`)}\n${output.trim()}\n\nFailed:\n${failed.map((name) => `  ${name}`).join('\n')}`)
    }
    const all = [...this.#results.values()]
    const passed = all.reduce((sum, result) => sum + result.passed, 0)
    const failed = all.reduce((sum, result) => sum + result.failed.length, 0)
    say(`\n${passed} passed, ${failed} failed`)
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  }
}
