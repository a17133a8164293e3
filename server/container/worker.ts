import { createDb, createPool } from '@/db/client'
import { createModels } from '../agents/models'
import { createAccess } from '../auth/access'
import { createSealer } from '../auth/sealer'
import { WorkflowEngine } from '../engine/engine'
import type { Models, Queue, QueueName, Store } from '../engine/ports'
import { env } from '../env'
import type { Telemetry } from '../observability/telemetry'
import { catalogueOf } from '../plugins/catalogue'
import { loadPlugins } from '../plugins/loader'
import { createJobs, createTools } from '../plugins/registry'
import { workflowWarnings } from '../plugins/warnings'
import { createStepQueue } from '../queue/pg-boss'
import { publishCatalogue } from '../store/postgres/catalogue'
import { Outage } from '../store/postgres/outage'
import { patiently } from '../store/postgres/passing'
import { exclusively } from '../store/postgres/exclusive'
import { deleteFinishedRuns } from '../store/postgres/retention'
import { runsBeingCancelled } from '../store/postgres/runs'
import { createPostgresStore } from '../store/postgres/store'
import { portsOf } from './ports'

/** How long a worker holds on to a result while the database is away: as long as it runs. Nobody else can know the result. */
const PATIENCE_MS = Number.POSITIVE_INFINITY

export type WorkerContainer = {
  engine: WorkflowEngine
  store: Store
  queue: Queue
  /** The queues there are, and how many jobs of each run here at the same time. */
  queues: { name: QueueName; concurrency: number }[]
  /** Runs the work unless another worker is at it. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T | null>
  runsBeingCancelled: (runIds: string[]) => Promise<string[]>
  /** For failures: a database that is away is said once. */
  log: { error(message: string, cause: unknown): void }
  /** Does the work again until the database is there for it. */
  patiently: <T>(work: () => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** What a worker works with: loads the plugins, tells the web process which there are, and opens the queue. */
export async function createWorkerContainer({ log, ports }: Telemetry): Promise<WorkerContainer> {
  const { DATABASE_URL, CLEW_SECRET, CLEW_SECRET_RETIRED, CLEW_PLUGINS_DIR, CLEW_TEAM_CONCURRENCY, CLEW_RETENTION_DAYS: days } = env()
  const pool = createPool(DATABASE_URL, { application_name: 'clew worker' })
  const pluginPool = createPool(DATABASE_URL, { application_name: 'clew plugins' })
  const db = createDb(pool)
  const outage = new Outage(pool, { log })
  const away = (error: unknown) => outage.report('the database', error)
  await patiently(PATIENCE_MS, () => pool.query('SELECT 1'), away)
  const plugins = await loadPlugins({ dir: CLEW_PLUGINS_DIR, pool: pluginPool })
  for (const { id, error } of plugins.failed) log.line('error', `the plugin ${id} cannot be used: ${error}`)
  for (const { plugin, workflow, warning } of workflowWarnings(plugins))
    log.line('info', `the workflow ${workflow} of the plugin ${plugin}, ${warning.path}: ${warning.message} (${warning.code})`)
  await patiently(PATIENCE_MS, () => publishCatalogue(db, catalogueOf(plugins)), away)
  const queue = createStepQueue({
    connectionString: DATABASE_URL,
    role: 'worker',
    onError: outage.report,
    teamConcurrency: CLEW_TEAM_CONCURRENCY,
  })
  const store = createPostgresStore(db, queue, PATIENCE_MS, away)
  const registry = { pool: pluginPool, log: log.line }
  const [tools, jobs] = [createTools(plugins.loaded, registry), createJobs(plugins.loaded, registry)]
  await patiently(PATIENCE_MS, () => queue.open(plugins.loaded.flatMap((plugin) => plugin.jobs.map(({ job }) => job.kind))), away)
  if (days !== undefined) {
    const deleting = async () => log.line('info', 'old runs were deleted', { count: await deleteFinishedRuns(db, days), days })
    await patiently(PATIENCE_MS, () => queue.every(60 * 60, deleting), away)
  }
  const engineLog = { ...ports.log, error: outage.report }
  return {
    engine: new WorkflowEngine(
      portsOf({
        ...ports,
        store,
        queue,
        log: engineLog,
        tools,
        jobs,
        models: models(),
        access: createAccess(db),
        sealer: createSealer(CLEW_SECRET, CLEW_SECRET_RETIRED),
      }),
    ),
    store,
    queue,
    queues: (await patiently(PATIENCE_MS, () => queue.names(), away)).map((name) => ({ name, concurrency: concurrencyOf(name) })),
    exclusively: (work) => exclusively(pool, work),
    runsBeingCancelled: (runIds) => runsBeingCancelled(db, runIds),
    log: { error: outage.report },
    patiently: (work) => patiently(PATIENCE_MS, work, away),
    async close() {
      outage.close()
      await queue.close()
      await Promise.all([pool.end(), pluginPool.end()])
    },
  }
}

function models(): Models | null {
  const { CLEW_AI_BASE_URL: baseUrl, CLEW_AI_MODEL: model, CLEW_AI_API_KEY: apiKey } = env()
  return baseUrl === undefined || model === undefined ? null : createModels({ baseUrl, model, apiKey })
}

function concurrencyOf(queue: QueueName): number {
  const { CLEW_WORKER_CONCURRENCY, CLEW_AGENT_CONCURRENCY, CLEW_JOB_CONCURRENCY } = env()
  if (queue === 'flow.step') return CLEW_WORKER_CONCURRENCY
  return queue === 'flow.agent' ? CLEW_AGENT_CONCURRENCY : CLEW_JOB_CONCURRENCY
}
