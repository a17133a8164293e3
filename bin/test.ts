import { parseArgs } from 'node:util'
import { say } from './console'
import { endToEnd, productionBuild, staticChecks, survival, types, unitTests } from './testing/checks'
import { Runner } from './testing/runner'

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })
const names = [types, ...staticChecks, unitTests, productionBuild, survival, endToEnd].map((check) => check.name)
const only = values.only?.flatMap((list) => list.split(','))
const unknown = only?.find((name) => !names.includes(name))
if (unknown !== undefined) {
  console.error(`There is no check "${unknown}"; --only takes ${names.join(', ')}.`)
  process.exit(1)
}

// Two cores: after the types the build beside the other looks at the source, then the tests, then the browser with both cores to itself.
say('Checking Clew: the source and the production build first, then the tests.\n')
const runner = new Runner(only)
await runner.run(types)
const build = runner.run(productionBuild)
for (const check of [...staticChecks, unitTests]) await runner.run(check)
await build
await runner.run(survival)
await runner.run(endToEnd)
runner.finish()
