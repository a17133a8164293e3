import { mkdirSync, writeFileSync } from 'node:fs'
import { workflowJsonSchema } from '../spec'

/** Writes the JSON Schema of spec 1 to where it is served from: `npm run schema`. A test fails when the file is stale. */
mkdirSync('public/schemas', { recursive: true })
writeFileSync('public/schemas/workflow-1.json', `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`)
