import type { Db } from '@/db/client'
import type { WorkflowEngine } from '../engine/engine'
import type { Principal } from '../auth/principal'

/** What a verb is given: who asks, through which door, and what it works with. */
export type Ctx = {
  db: Db
  engine: Pick<WorkflowEngine, 'start' | 'wasStartedWith' | 'cancel' | 'decideGate' | 'planRedrive' | 'redrive' | 'recordOutcome'>
  principal: Principal
  channel: 'web' | 'rest'
}
