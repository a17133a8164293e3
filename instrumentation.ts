/** Before the first request: the database is as this version needs it. Whoever comes second waits, and finds nothing to do. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const [{ migrate }, { env }, { bringUpToDate }] = await Promise.all([
    import('@/db/migrate'),
    import('@/server/env'),
    import('@/server/container/up-to-date'),
  ])
  await bringUpToDate(() => migrate(env().DATABASE_URL)).then(({ later }) => void later.catch(end), end)
}

/** A process that cannot work had better end: then it is started again, and somebody reads why. */
function end(error: unknown): never {
  console.error(error) // oxlint-disable-line no-console
  process.exit(1)
}
