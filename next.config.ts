import type { NextConfig } from 'next'

const config: NextConfig = {
  // Tests build into a folder of their own (CLEW_DIST_DIR), so that they never touch the files of a running Clew.
  distDir: process.env.CLEW_DIST_DIR || '.next',
  // pg and pg-boss open sockets and load lazily: they must stay outside the bundle.
  serverExternalPackages: ['pg', 'pg-boss', 'pino', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/sdk-trace'],
  // `npm test` checks the types (tsc); who starts Clew need not wait for that.
  typescript: { ignoreBuildErrors: true },
  poweredByHeader: false,
  reactStrictMode: true,
}

export default config
