import { parseArgs, styleText } from 'node:util'
import { onEnd, say } from './console'
import { type Check, endToEnd, productionBuild, type Result, staticChecks, unitTests } from './testing/checks'

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
const names = [...staticChecks, unitTests, productionBuild, endToEnd].map((check) => check.name)
const only = values.only?.flatMap((list) => list.split(','))
const unknown = only?.find((name) => !names.includes(name))
if (unknown) {
  console.error(`There is no check "${unknown}"; --only takes ${names.join(', ')}.`)
  process.exit(1)
}

const results = new Map<Check, Result>()
onEnd(() => process.exit(130)) // what still runs ends with us

async function run(check: Check): Promise<void> {
  if (only && !only.includes(check.name)) return
  const start = performance.now()
  const result = await check
    .run()
    .catch((error: unknown): Result => ({ passed: 0, failed: ['it could not be started'], output: String(error) }))
  results.set(check, result)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const counts = result.failed.length > 0 ? `${result.passed} passed, ${result.failed.length} failed` : `${result.passed} passed`
  say(`${result.failed.length > 0 ? styleText('red', '✗') : styleText('green', '✓')} ${check.title}: ${counts} in ${seconds} s`)
}

// Two cores: the build beside the looks at the source, then the tests, then the browser with both cores to itself.
say('Checking Clew: the source and the production build first, then the tests.\n')
const build = run(productionBuild)
for (const check of [...staticChecks, unitTests]) await run(check)
await build
await run(endToEnd)

for (const [check, { failed, output }] of results) {
  if (failed.length === 0) continue
  say(`\n${styleText('bold', `── ${check.title} ──`)}\n${output.trim()}\n\nFailed:\n${failed.map((name) => `  ${name}`).join('\n')}`)
}
const all = [...results.values()]
const passed = all.reduce((sum, result) => sum + result.passed, 0)
const failed = all.reduce((sum, result) => sum + result.failed.length, 0)
say(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
