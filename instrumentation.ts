/** Before the first request: the database is as this version needs it. Whoever comes second waits, and finds nothing to do. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const [{ migrate }, { env }] = await Promise.all([import('@/db/migrate'), import('@/server/env')])
  await migrate(env().DATABASE_URL)
}
