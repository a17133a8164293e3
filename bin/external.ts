import { Client } from 'pg'
import { Problem } from '@/db/problem'
import { warn } from './console'

const OLDEST = 150_000 // PostgreSQL 15: UNIQUE NULLS NOT DISTINCT

/**
 * Makes sure that the operator's own database can be used.
 * @throws {Problem} one sentence that says what to do; never the connection string, which holds a password
 */
export async function checkDatabase(databaseUrl: string): Promise<void> {
  const url = /^postgres(ql)?:\/\//.test(databaseUrl) ? URL.parse(databaseUrl) : null
  if (!url) throw new Problem('DATABASE_URL is not an address: it must look like postgres://user:password@host:5432/database.')
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; number: number; free: boolean }>(
      `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
              rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = current_user`,
    )
    const [server] = rows
    if (server && server.number < OLDEST) {
      throw new Problem(
        `The PostgreSQL at DATABASE_URL is ${server.version}, Clew needs 15 or later: upgrade it, or leave DATABASE_URL out to use the one that comes with Clew.`,
      )
    }
    if (server?.free) {
      warn(
        'The role in DATABASE_URL bypasses row-level security, which keeps teams apart in plugins: give Clew an ordinary role that owns its database.',
      )
    }
  } catch (error) {
    throw error instanceof Problem ? error : explain(error as Error & { code?: string }, url)
  } finally {
    await client.end().catch(() => {})
  }
}

function explain(error: Error & { code?: string }, url: URL): Problem {
  const place = `${url.hostname || 'localhost'}:${url.port || 5432}`
  const because = { cause: error }
  const database = decodeURIComponent(url.pathname.slice(1))
  if (error.code === '28P01' || error.code === '28000') {
    return new Problem(
      `The PostgreSQL at ${place} refuses the user "${decodeURIComponent(url.username)}": check the user and the password in DATABASE_URL.`,
      because,
    )
  }
  if (error.code === '3D000')
    return new Problem(`There is no database "${database}" at ${place}: create it, or correct DATABASE_URL.`, because)
  if (error.code === '53300')
    return new Problem(
      `The PostgreSQL at ${place} has no connection left: raise max_connections there, or end other programs that use it.`,
      because,
    )
  return new Problem(`No PostgreSQL answers at ${place} (${error.message || error.code}): start it, or correct DATABASE_URL.`, because)
}
