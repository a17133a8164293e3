import type { NextConfig } from 'next'

const config: NextConfig = {
  // pg and pg-boss open sockets and load lazily: they must stay outside the bundle.
  serverExternalPackages: ['pg', 'pg-boss', 'pino'],
  poweredByHeader: false,
  reactStrictMode: true,
}

export default config
