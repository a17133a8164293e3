import { build } from '../build'
import { complain } from '../console'

try {
  await build()
} catch (error) {
  complain(error)
  process.exitCode = 1
}
