import { setTimeout } from 'node:timers/promises'
import { createDb, createPool, type Db } from '@/db/client'
import { newId } from '@/db/ids'
import type { Pool } from 'pg'
import { createAccess } from './auth/access'
import { WorkflowEngine } from './engine/engine'
import type { Clock, Ports, Queue, Store } from './engine/ports'
import { env } from './env'
import { createLogger, type Logger } from './observability/logger'
import { loadPlugins } from './plugins/loader'
import { createTools } from './plugins/registry'
import { catalogueOf } from './plugins/catalogue'
import { createStepQueue } from './queue/pg-boss'
import { publishCatalogue } from './store/postgres/catalogue'
import { type Changes, listenForChanges } from './store/postgres/changes'
import { exclusively } from './store/postgres/exclusive'
import { runsBeingCancelled } from './store/postgres/runs'
import { createPostgresStore } from './store/postgres/store'

/** How long a worker holds on to a result while the database is away. */
const PATIENCE_MS = 60_000

export type WebContainer = { pool: Pool; db: Db; engine: WorkflowEngine; changes: Changes; log: Logger }

/** What the web process works with: it starts and decides, and never runs the code of a plugin. Made at the first call, one per process. */
export function container(): WebContainer {
  const kept = globalThis as { clewContainer?: WebContainer }
  return (kept.clewContainer ??= createWebContainer())
}

function createWebContainer(): WebContainer {
  const { DATABASE_URL, LOG_LEVEL } = env()
  const log = createLogger({ level: LOG_LEVEL, name: 'web' })
  const pool = createPool(DATABASE_URL, { application_name: 'clew web' })
  const db = createDb(pool)
  const queue = createStepQueue({ connectionString: DATABASE_URL, role: 'producer', onError: log.error })
  const store = createPostgresStore(db, queue)
  const engine = new WorkflowEngine(portsOf({ store, queue, log, tools: { find: () => null }, access: createAccess(db) }))
  return { pool, db, engine, changes: listenForChanges(DATABASE_URL), log }
}

export type WorkerContainer = {
  engine: WorkflowEngine
  store: Store
  queue: Queue
  log: Logger
  concurrency: number
  /** Runs the work unless another worker is at it. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T | null>
  runsBeingCancelled: (runIds: string[]) => Promise<string[]>
  close(): Promise<void>
}

/** What a worker works with: loads the plugins, tells the web process which there are, and opens the queue. */
export async function createWorkerContainer(): Promise<WorkerContainer> {
  const { DATABASE_URL, LOG_LEVEL, CLEW_PLUGINS_DIR, CLEW_WORKER_CONCURRENCY } = env()
  const log = createLogger({ level: LOG_LEVEL, name: 'worker' })
  const pool = createPool(DATABASE_URL, { application_name: 'clew worker' })
  const pluginPool = createPool(DATABASE_URL, { application_name: 'clew plugins' })
  const db = createDb(pool)
  const plugins = await loadPlugins({ dir: CLEW_PLUGINS_DIR, pool: pluginPool })
  for (const { id, error } of plugins.failed) log.line('error', `the plugin ${id} cannot be used: ${error}`)
  await publishCatalogue(db, catalogueOf(plugins))
  const queue = createStepQueue({ connectionString: DATABASE_URL, role: 'worker', onError: log.error })
  const store = createPostgresStore(db, queue, PATIENCE_MS)
  const tools = createTools(plugins.loaded, { pool: pluginPool, log: log.line })
  return {
    engine: new WorkflowEngine(portsOf({ store, queue, log, tools, access: createAccess(db) })),
    store,
    queue,
    log,
    concurrency: CLEW_WORKER_CONCURRENCY,
    exclusively: (work) => exclusively(pool, work),
    runsBeingCancelled: (runIds) => runsBeingCancelled(db, runIds),
    async close() {
      await queue.close()
      await Promise.all([pool.end(), pluginPool.end()])
    },
  }
}

const clock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => {}),
}

const portsOf = (own: Pick<Ports, 'store' | 'queue' | 'tools' | 'access' | 'log'>): Ports => ({ ...own, clock, random: Math.random, newId })
