import type { Pool } from 'pg'

/** Whatever one process at a time may do; the number is the lock's name, known to nobody else. */
const SWEEP = 0x73776570 // "swep"

/** Runs the work while no other process does. Null: one is at it. The lock ends with the connection, so a killed process leaves none. */
export async function exclusively<T>(pool: Pool, work: () => Promise<T>): Promise<T | null> {
  const client = await pool.connect()
  let failure: unknown
  try {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [SWEEP])
    if (!rows[0]?.mine) return null
    return await work()
  } catch (error) {
    failure = error
    throw error
  } finally {
    await client.query('SELECT pg_advisory_unlock_all()').catch((error: unknown) => (failure = error))
    client.release(failure !== undefined)
  }
}
