import { say } from './console'
import { longTests } from './testing/checks'
import { Runner } from './testing/runner'

say('Repeating what chance decides far more often than the other tests do: hours.\n')
const runner = new Runner()
await runner.run(longTests)
runner.finish()
