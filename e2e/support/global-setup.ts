import { startStack } from './stack'

/** Starts the one Clew that the end-to-end tests share; the tests read its address from CLEW_E2E_URL (Playwright's `baseURL`). */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack()
  process.env.CLEW_E2E_URL = stack.url
  process.env.CLEW_E2E_DATABASE_URL = stack.databaseUrl()
  process.env.CLEW_E2E_DATA_DIR = stack.dataDir
  return async () => {
    await stack.stop()
  }
}
