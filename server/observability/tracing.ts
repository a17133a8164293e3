import { createHash, randomBytes } from 'node:crypto'
import { type Attributes, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type IdGenerator, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Log, Span } from '../engine/ports'
import type { Logger } from './logger'

export type Tracing = {
  /** The trace context of a new run; see `Ports.newTrace`. */
  newTrace(runId: string, parent: string | null): string
  /** Sends the span of what has just ended; the fields of its event become attributes. */
  ended(fields: Parameters<Log['event']>[1], span: Span): void
  /** Sends what is left. */
  close(): Promise<void>
}

export type TracingOptions = {
  /** The address of an OTLP receiver, to which `/v1/traces` is added. */
  endpoint: string
  /** `web` or `worker`. */
  role: string
  /** Whether messages of errors are sent: they may hold people's data. */
  messages: boolean
  log: Pick<Logger, 'line'>
}

/** `00-<trace>-<span>-<flags>`, and the id of the span above it behind that. */
const KEPT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01(?: ([0-9a-f]{16}))?$/

/**
 * Sends a span for each run and each attempt of a step. A run outlives processes, so its span's ids are kept with it and the span is sent when
 * it ends, by whoever saw that; each step's span names the run's as its parent from the beginning, and a child run's that of the step that
 * started it.
 */
export function startTracing({ endpoint, role, messages, log }: TracingOptions): Tracing {
  const ids = new Ids()
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: 5_000 })
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': 'clew', 'clew.role': role }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: saidOnce(exporter, log), scheduledDelayMillis: 1_000, exportTimeoutMillis: 5_000 }),
    ],
  })
  const tracer = provider.getTracer('clew')

  function ended(fields: Parameters<Log['event']>[1], span: Span): void {
    const [, traceId, spanId, parentId] = KEPT.exec(span.trace ?? '') ?? []
    if (traceId === undefined || spanId === undefined) return
    const own = span.of === 'run' && !span.again
    const parent = own ? parentId : spanId
    const name = span.of === 'run' ? `workflow.${span.slug}` : `workflow.${span.slug}.step.${String(fields.step_id)}`
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(traceId, parent))
    if (own) ids.next = { traceId, spanId }
    else if (span.started !== undefined) ids.next = { traceId, spanId: stepSpanId(span.started) }
    const started = tracer.startSpan(name, { startTime: span.startedAt, attributes: attributesOf(fields) }, context)
    ids.next = undefined
    if (fields.code !== null && fields.code !== undefined) started.setStatus({ code: SpanStatusCode.ERROR })
    span.causes?.forEach(({ name, code, message }, depth) => {
      const cause = { 'exception.type': name, depth, ...(code === null ? {} : { code }) }
      started.addEvent('exception', messages && message !== null ? { ...cause, 'exception.message': message } : cause, span.endedAt)
    })
    started.end(span.endedAt)
  }

  return {
    newTrace(runId, parent) {
      const [, traceId] = KEPT.exec(parent ?? '') ?? []
      const own = ids.generateSpanId()
      return traceId === undefined ? `00-${ids.generateTraceId()}-${own}-01` : `00-${traceId}-${own}-01 ${stepSpanId(runId)}`
    },
    ended,
    close: () => provider.shutdown().catch(() => {}),
  }
}

/** The span of the step that started this run: its child names it long before it is sent. */
const stepSpanId = (runId: string): string => createHash('sha256').update(`step ${runId}`).digest('hex').slice(0, 16)

const remote = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })

function attributesOf(fields: Parameters<Log['event']>[1]): Attributes {
  return Object.fromEntries(Object.entries(fields).filter(isAttribute))
}

/** The span has its own times, and no attribute may be null. */
const isAttribute = (field: [string, unknown]): field is [string, string | number | boolean] =>
  field[0] !== 'duration_ms' && field[1] !== null

/** Random ids, but for the one span whose ids were chosen when its run began. */
class Ids implements IdGenerator {
  next: { traceId: string; spanId: string } | undefined
  generateTraceId = () => this.next?.traceId ?? randomBytes(16).toString('hex')
  generateSpanId = () => this.next?.spanId ?? randomBytes(8).toString('hex')
}

/** Says it once when nobody takes the spans, and once when somebody does again. Runs go on either way. */
function saidOnce(exporter: SpanExporter, log: Pick<Logger, 'line'>): SpanExporter {
  let failing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !failing) log.line('warn', 'nobody takes the traces at OTEL_EXPORTER_OTLP_ENDPOINT; runs go on, and spans are lost')
        if (!failed && failing) log.line('info', 'the traces are taken again')
        failing = failed
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}
