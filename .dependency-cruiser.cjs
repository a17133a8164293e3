/**
 * The layer rules of the house (ARCHITECTURE.md, "Who may import whom"). Type imports count.
 * Each layer lists what it may import from the project; everything else in the project is refused.
 */
const layers = {
  '^spec/': ['^spec/'],
  '^sdk/': ['^sdk/', '^spec/', '^server/engine/testing'],
  '^server/engine/': ['^server/engine/', '^spec/', '^sdk/', '^server/errors'],
  '^server/(store|queue)/': ['^server/(store|queue)/', '^server/engine/', '^server/auth/ids', '^spec/', '^db/', '^server/errors'],
  '^server/(auth|plugins)/': [
    '^server/(auth|plugins)/',
    '^sdk/',
    '^spec/',
    '^server/engine/',
    '^server/store/',
    '^server/errors',
    '^server/env',
    '^db/',
  ],
  '^server/agents/': ['^server/agents/', '^sdk/', '^spec/', '^server/engine/ports', '^server/errors'],
  '^server/services/': ['^server/services/', '^spec/', '^server/engine/', '^server/auth/', '^server/store/', '^server/errors', '^db/'],
  '^server/api/': ['^server/api/', '^server/services/', '^server/auth/', '^spec/', '^server/errors', '^server/container'],
  '^server/observability/': ['^server/observability/', '^server/engine/', '^server/errors', '^server/env'],
  '^components/': ['^components/', '^spec/', '^server/api/trpc/router'],
  '^app/': ['^app/', '^components/', '^server/api/', '^server/auth/', '^server/container', '^spec/', '^server/env'],
  '^db/(?!prepare|seed)': ['^db/', '^spec/', '^server/env'],
  // What the supervisor does before web and worker start.
  '^db/(prepare|seed)': ['^db/', '^server/(auth|plugins|store)/'],
}
const files = '\\.(ts|tsx|mjs|cjs|js|json)$'
// The test engines join the engine with the stores in memory and with how tools are called; they are part of no process.
const notTest = '(\\.test\\.|\\.testsuite\\.|^(sdk|server/engine)/testing\\.)'

/** Rooms that do no IO, and the packages that they may use. */
const pure = {
  '^spec/(?!testing/|conformance/(cases|run)\\.ts)': ['zod', 'jsonc-parser', '@noble/hashes'],
  '^server/engine/': ['@noble/hashes'],
  '^sdk/': ['zod'],
  '^plugins/': [],
}

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...Object.entries(layers).map(([from, may]) => ({
      name: `layer ${from}`,
      severity: 'error',
      from: { path: from, pathNot: notTest },
      to: { path: files, pathNot: [...may, 'node_modules', '\\.css$', '^package\\.json$'] },
    })),
    {
      name: 'plugins-import-sdk-only',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: files, pathNot: ['^plugins/$1/', '^sdk/', 'node_modules'] },
    },
    ...Object.entries(pure).flatMap(([from, packages]) => [
      {
        name: `packages of ${from}`,
        severity: 'error',
        from: { path: from, pathNot: notTest },
        to: { path: 'node_modules/', pathNot: `node_modules/(${['none', ...packages].join('|')})/` },
      },
      { name: `no Node in ${from}`, severity: 'error', from: { path: from, pathNot: notTest }, to: { dependencyTypes: ['core'] } },
    ]),
    {
      name: 'nobody-imports-app-or-worker',
      severity: 'error',
      from: { pathNot: '^(app|server/worker|bench)/' },
      to: { path: '^(app|server/worker)/' },
    },
    {
      name: 'components-take-the-router-as-a-type',
      severity: 'error',
      from: { path: '^components/' },
      to: { path: '^server/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'drizzle-stays-with-the-data',
      severity: 'error',
      from: { pathNot: ['^db/', '^server/(store|queue)/', '^drizzle', '^bench/'] },
      to: { path: 'node_modules/drizzle-orm' },
    },
    {
      name: 'pg-boss-stays-in-the-queue',
      severity: 'error',
      from: { pathNot: ['^server/queue/', '^db/', '^bench/'] },
      to: { path: 'node_modules/pg-boss' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next(-test)?|\\.data|\\.tmp|node_modules/\\.cache|next-env)' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
