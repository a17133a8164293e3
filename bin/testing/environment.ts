const own = /^(DATABASE_URL|PORT|CLEW_.*|NEXTAUTH_.*|SMTP_.*|OTEL_.*|NODE_ENV)$/

/** The environment without the surrounding shell's settings of Clew: they must not reach what is tested, above all not a real database's address. */
export function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => value !== undefined && !own.test(name))
  // Tests build into a folder of their own: they never touch the files of a running Clew.
  return { ...(Object.fromEntries(entries) as Record<string, string>), CLEW_DIST_DIR: '.next-test', NEXT_TELEMETRY_DISABLED: '1' }
}
