import { defineConfig } from 'vitest/config'

const alias = { '@': import.meta.dirname }
const unit = ['spec', 'sdk', 'plugins', 'server', 'components', 'db', 'bin'].map((d) => `${d}/**/*.test.{ts,tsx}`)

const databaseSuites = unit.map((d) => d.replace('.test', '.db.test'))
const entrances = ['server/{api,auth}/**/*.db.test.ts']
const onDatabase = { globalSetup: ['db/testing/global-setup.ts'], testTimeout: 30_000, hookTimeout: 60_000 }

export default defineConfig({
  resolve: { alias },
  test: {
    // Many suites wait for processes and leases: one worker would wait with them.
    maxWorkers: 3,
    setupFiles: ['bin/testing/draws.ts'],
    projects: [
      {
        // Suites share their modules, which saves loading them for each: none may replace one. Those that must are named *.mocked.test.ts.
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          exclude: ['**/*.db.test.ts', '**/*.mocked.test.ts', '**/*.chaos.test.ts'],
          setupFiles: ['bin/testing/shared-modules.ts'],
          isolate: false,
          testTimeout: 30_000,
        },
      },
      { extends: true, test: { name: 'mocked', include: unit.map((d) => d.replace('.test', '.mocked.test')), testTimeout: 30_000 } },
      // Suites named *.db.test.ts run on a real PostgreSQL: one server for all, one database cloned from a template for each.
      {
        extends: true,
        test: { ...onDatabase, name: 'database', include: databaseSuites, exclude: entrances, isolate: false },
      },
      // The entrances keep one database for their process, as the app does: each such suite has modules of its own.
      { extends: true, test: { ...onDatabase, name: 'entrances', include: entrances } },
      // Processes that are killed, against the clock: `npm test` runs it by itself, with the whole machine to it.
      { extends: true, test: { name: 'chaos', include: unit.map((d) => d.replace('.test', '.chaos.test')) } },
    ],
  },
})
