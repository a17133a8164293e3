import { Client, type Pool } from 'pg'

/**
 * Lets a database live by a clock that a test turns: whatever asks for `clock_timestamp()` without naming a schema, which is all that the store
 * does, is told that time, and so is pg-boss. Connections that were opened before still have the real one.
 */
export async function installTurnedClock(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(INSTALL)
  } finally {
    await client.end()
  }
}

/** Sets that clock. */
export async function turnClock(pool: Pool, at: Date): Promise<void> {
  await pool.query('UPDATE turned.clock SET at = $1', [at.toISOString()])
}

const INSTALL = `
  CREATE SCHEMA turned;
  CREATE TABLE turned.clock (at timestamptz NOT NULL);
  INSERT INTO turned.clock VALUES ('2030-01-01T00:00:00Z');
  CREATE FUNCTION turned.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM turned.clock';
  CREATE OR REPLACE FUNCTION pgboss.job_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM turned.clock';
  DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = turned, pg_catalog, public', current_database()); END $$;`
