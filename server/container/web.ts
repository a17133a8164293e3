import type { Pool } from 'pg'
import { createDb, createPool, type Db } from '@/db/client'
import { createAccess } from '../auth/access'
import { createSealer } from '../auth/sealer'
import { WorkflowEngine } from '../engine/engine'
import { env } from '../env'
import { beforeExit } from '../observability/before-exit'
import type { Logger } from '../observability/logger'
import { createTelemetry } from '../observability/telemetry'
import { createStepQueue } from '../queue/pg-boss'
import { type Changes, listenForChanges } from '../store/postgres/changes'
import { createPostgresStore } from '../store/postgres/store'
import { Outage } from '../store/postgres/outage'
import { isPassing } from '../store/postgres/passing'
import { portsOf } from './ports'

type WebContainer = { pool: Pool; db: Db; engine: WorkflowEngine; changes: Changes; log: Pick<Logger, 'error'> }

/** What the web process works with: it starts and decides, and never runs the code of a plugin. Made at the first call, one per process. */
export function container(): WebContainer {
  const kept = globalThis as { clewContainer?: WebContainer }
  return (kept.clewContainer ??= createWebContainer())
}

const NO_PLUGINS = { find: () => null }

function createWebContainer(): WebContainer {
  const { DATABASE_URL, CLEW_SECRET, CLEW_SECRET_RETIRED } = env()
  const { log, ports, close } = createTelemetry(env(), 'web')
  // Decisions and starts are told by this process: Next ends it without asking whether they were sent.
  beforeExit(close)
  const pool = createPool(DATABASE_URL, { application_name: 'clew web' })
  const db = createDb(pool)
  const { report } = new Outage(pool, { log })
  const queue = createStepQueue({ connectionString: DATABASE_URL, role: 'producer', onError: report })
  const store = createPostgresStore(db, queue)
  const engine = new WorkflowEngine(
    portsOf({
      ...ports,
      store,
      queue,
      log: { ...ports.log, error: report },
      tools: NO_PLUGINS,
      jobs: NO_PLUGINS,
      models: null,
      access: createAccess(db),
      sealer: createSealer(CLEW_SECRET, CLEW_SECRET_RETIRED),
    }),
  )
  return { pool, db, engine, changes: listenForChanges(DATABASE_URL), log: { error: report } }
}

/** Whether this failed because the database is away: the same request may succeed later. */
export const isAway = (error: unknown): boolean => isPassing(error) === 'away'
