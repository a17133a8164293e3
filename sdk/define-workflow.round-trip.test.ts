import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effort } from '@/db/testing/effort'
import { arbitrarySpec } from '@/spec/testing/arbitrary-spec'
import { buildable, throughBuilder } from './workflow/testing/rewrite'

test('any document can be written with the builder, and comes out as it was', { timeout: effort(60_000) }, () => {
  fc.assert(
    fc.property(arbitrarySpec(), (random) => {
      const document = buildable(random)
      // Not toStrictEqual: it takes a member called `constructor` for the class of the object.
      expect(isDeepStrictEqual(throughBuilder(document), document)).toBe(true)
    }),
    { numRuns: effort(60) },
  )
})
