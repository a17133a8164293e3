import { createWorkerContainer } from '@/server/container/worker'
import { env } from '@/server/env'
import { createLogger } from '@/server/observability/logger'
import { createTelemetry } from '@/server/observability/telemetry'
import { startHeartbeat } from './heartbeat'
import { runWorker } from './worker'

/** How long a stop waits for what runs, and when it ends in any case, in milliseconds: before the supervisor kills it (see bin/stop.ts). */
const GRACE_MS = 3_000
const LIMIT_MS = 3_600

const asked = Promise.withResolvers<void>()
function stop(): void {
  setTimeout(() => process.exit(0), LIMIT_MS).unref()
  asked.resolve()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

startHeartbeat(env().CLEW_HEARTBEAT_FD)
const telemetry = createTelemetry(env(), 'worker')
const { log } = telemetry
// Until it works for people, nothing that it says can be theirs, and an operator needs to read why it does not start.
const starting = createLogger({ level: env().LOG_LEVEL, name: 'worker', messages: true })
let loading = true
// A plugin that forgets to await must not take the steps of others with it, and a careless one must not keep the worker from starting.
// After an error that is thrown later nothing can be relied on: what this process held comes back when its leases run out.
process.on('unhandledRejection', (reason) => (loading ? starting : log).error('a promise was rejected and nobody looked', reason))
process.on('uncaughtException', (error) => {
  if (loading) return starting.error('something threw while plugins were loaded', error)
  log.error('the worker cannot go on', error)
  process.exit(1)
})

const worker = await createWorkerContainer(telemetry).catch((error: unknown) => {
  starting.error('the worker cannot start', error)
  process.exit(1)
})
loading = false
const running = await runWorker(worker)
log.line('info', 'worker ready', Object.fromEntries(worker.queues.map(({ name, concurrency }) => [name, concurrency])))

await asked.promise
log.line('info', 'worker stopping')
await running.stop(GRACE_MS)
await Promise.all([worker.close(), telemetry.close()])
log.line('info', 'worker stopped')
process.exit(0)
