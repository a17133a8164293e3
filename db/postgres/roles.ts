import { createHmac } from 'node:crypto'
import { Client } from 'pg'

/** The role and the database that Clew works with. */
const NAME = 'clew'
/** Whoever holds this lock in the database `postgres` owns the embedded server ("clew", read as a number, plus one). */
const OWNER_LOCK = 0x636c6578

const url = (user: string, password: string, port: number, database: string) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`

/** The administrator's connection string: it bypasses row-level security, so nothing of the application may use it. */
export const superuserUrl = (password: string, port: number) => url('postgres', password, port, 'postgres')

/** The application's password, derived so that knowing it does not reveal the administrator's. */
const applicationPassword = (password: string) => createHmac('sha256', password).update('role clew').digest('hex')

/** The application's connection string. */
export const applicationUrl = (password: string, port: number) => url(NAME, applicationPassword(password), port, NAME)

/** Connects as administrator and claims the server; null when another process has claimed it. The claim ends with the connection. */
export async function claim(password: string, port: number): Promise<Client | null> {
  const client = new Client({ connectionString: superuserUrl(password, port), connectionTimeoutMillis: 10_000, keepAlive: true })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ claimed: boolean }>('SELECT pg_try_advisory_lock($1) AS claimed', [OWNER_LOCK])
    if (rows[0]?.claimed) return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
  await client.end()
  return null
}

/** Makes sure that the application's role (an ordinary one: row-level security binds it) and its database exist. */
export async function ensureRole(client: Client, password: string): Promise<void> {
  const { rowCount: roles } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [NAME])
  const verb = roles ? 'ALTER' : 'CREATE'
  await client.query(
    `${verb} ROLE ${NAME} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${applicationPassword(password)}'`,
  )
  const { rowCount: databases } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [NAME])
  if (!databases) await client.query(`CREATE DATABASE ${NAME} OWNER ${NAME}`)
}
