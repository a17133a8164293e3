import * as fc from 'fast-check'
import { effort } from '@/db/testing/effort'

/** `npm test` draws the same every time: what passed passes again, and what fails is due to the change. `npm run test:long` draws anew. */
if (effort(1) === 1) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 2026 })
