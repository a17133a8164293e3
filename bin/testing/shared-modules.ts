import { vi } from 'vitest'

/** A module that was loaded by another suite would not be replaced, and the test would pass or fail by the order of files. */
vi.mock = () => {
  throw new Error('Suites that replace modules are named *.mocked.test.ts: the others share their modules.')
}
