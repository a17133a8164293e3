import { expect, it } from 'vitest'
import { PROBLEM_MEANINGS, RUN_CODES } from '.'

it.each([...Object.entries(PROBLEM_MEANINGS), ...Object.entries(RUN_CODES)])('%s is documented in one sentence', (code, meaning) => {
  expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(meaning).toMatch(/^(An? |The |['A-Z]).*\.$/)
  expect(meaning.slice(0, -1)).not.toMatch(/\. [A-Z]/)
})
