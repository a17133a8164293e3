import { setTimeout as sleep } from 'node:timers/promises'
import { WorkflowEngine } from '@/server/engine/engine'
import type { CallResult } from '@/server/engine/model'
import type { Ports, ToolCall } from '@/server/engine/ports'
import { TEST_SEALER } from '@/server/engine/testing'
import { secretFields, type Json } from '@/spec'
import type { Harness } from './harness'

type Run = (call: ToolCall, input: Json) => Promise<CallResult>

/** The engine on this database. Its one tool or job, whatever the name, does what `run` says, with the effect that its name ends in, or `write`, and what it is given as `key` is secret; everybody may call it. */
export function testEngine(h: Pick<Harness, 'store' | 'queue' | 'newId'>, run?: Run, telemetry?: Partial<Ports>): WorkflowEngine {
  const tools: Ports['tools'] = {
    find: (name) => (run ? { name, effect: effectOf(name), secrets: SECRETS, check: () => [], dropNulls: (input) => input, run } : null),
  }
  const ports: Ports = {
    store: h.store,
    queue: h.queue,
    newId: h.newId,
    random: Math.random,
    clock: { now: () => new Date(), sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => {}) },
    tools,
    jobs: tools,
    models: null,
    access: { admit: () => Promise.resolve({ ok: true }), mayStart: () => Promise.resolve({ ok: true }) },
    sealer: TEST_SEALER,
    log: {
      event: () => {},
      error: (message, cause) => {
        throw new Error(message, { cause })
      },
    },
    ...telemetry,
  }
  return new WorkflowEngine(ports)
}

const SECRETS = secretFields({ key: { type: 'string', secret: true } })
const effectOf = (name: string) => (name.endsWith('.once') ? 'once' : name.endsWith('.read') ? 'read' : 'write')
