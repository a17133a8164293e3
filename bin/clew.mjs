#!/usr/bin/env node
// `npx clew`: the program itself is bin/clew/, in TypeScript; this finds what reads it, whatever folder it is called from.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
if (!existsSync(join(root, 'node_modules', 'tsx'))) {
  console.error('Clew is not installed yet: run "npm ci --ignore-scripts" (or "npm start") in its folder, then try again.')
  process.exit(2)
}
// Whoever reads may have seen enough (`| head -1`): that is no error. A full disk is.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit()
  console.error(`The answer cannot be written: ${error.message}`)
  process.exit(2)
})
const { register } = await import('tsx/esm/api')
register({ tsconfig: join(root, 'tsconfig.json') })
const { main } = await import('./clew/main.ts')
process.exitCode = await main(process.argv.slice(2))
