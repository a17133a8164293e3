import { defineConfig } from '@playwright/test'
import { findBrowser } from './bin/browser'

const browser = await findBrowser()

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/support/global-setup.ts',
  forbidOnly: true,
  // The tests of one file run in order. One of three files at a time mostly waits, for leases to run out: the others fit two cores.
  workers: 3,
  retries: 0,
  timeout: 60_000,
  reporter: process.env.CLEW_TEST_REPORT ? [['list'], ['json', { outputFile: process.env.CLEW_TEST_REPORT }]] : 'list',
  outputDir: 'test-results',
  use: {
    baseURL: process.env.CLEW_E2E_URL,
    browserName: 'chromium',
    launchOptions: {
      executablePath: browser.path,
      args: ['--disable-gpu'],
      env: { ...(process.env as Record<string, string>), ...browser.env },
    },
    // A trace costs more than the test it is of: CLEW_TRACE=on records one.
    trace: process.env.CLEW_TRACE === 'on' ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
  },
})
