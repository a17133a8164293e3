import { readFileSync, writeFileSync } from 'node:fs'
import { REFERENCE, regenerate } from './reference'

/** Makes the generated parts of the reference page anew: `npm run docs`. A test fails when the page is stale. */
writeFileSync(REFERENCE, regenerate(readFileSync(REFERENCE, 'utf8')))
