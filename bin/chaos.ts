import { say } from './console'
import { chaos, productionBuild } from './testing/checks'
import { Runner } from './testing/runner'

say('Killing the worker with kill -9 while it works, again and again.\n')
const runner = new Runner()
await runner.run(productionBuild)
await runner.run(chaos)
runner.finish()
