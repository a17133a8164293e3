import type { DestinationStream } from 'pino'
import type { Ports } from '../engine/ports'
import type { Env } from '../env'
import { createLogger, type Logger } from './logger'
import { startTracing } from './tracing'

/** What a process tells of itself: its log, and the engine's events as lines and, where that is on, as spans. */
export type Telemetry = { log: Logger; ports: Pick<Ports, 'log' | 'newTrace'>; close(): Promise<void> }

type Settings = Pick<Env, 'LOG_LEVEL' | 'CLEW_ERROR_MESSAGES' | 'OTEL_EXPORTER_OTLP_ENDPOINT'>

/** `destination`: where lines go instead of to standard output. */
export function createTelemetry(settings: Settings, role: 'web' | 'worker', destination?: DestinationStream): Telemetry {
  const { LOG_LEVEL, CLEW_ERROR_MESSAGES: messages, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  const log = createLogger({ level: LOG_LEVEL, name: role, messages, ...(destination ? { destination } : {}) })
  const tracing = endpoint === undefined ? undefined : startTracing({ endpoint, role, messages, log })
  return {
    log,
    ports: {
      newTrace: (runId, parent) => tracing?.newTrace(runId, parent) ?? null,
      log: {
        event(name, fields, span) {
          log.event(name, fields)
          if (span) tracing?.ended(fields, span)
        },
        error: log.error,
      },
    },
    close: async () => tracing?.close(),
  }
}
