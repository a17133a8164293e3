import type { Json } from '@/spec'
import type { EngineError, Principal } from '@/server/engine/model'
import type { Definition, Gate, Queue, StepRow, Store } from '@/server/engine/ports'
import type { Quota } from '@/server/engine/quota'

/** What a test sees of a run, however it is stored. */
export type Inspected = {
  status: string
  version: number
  output: Json | null
  error: EngineError | null
  rows: (StepRow & { error: EngineError | null; flag: string | null })[]
  gates: { id: string; stepId: string; status: Gate['status'] }[]
}

/** What an adapter brings to the contract suite. */
export type StoreHarness = {
  store: Store
  /** The queue that `RunTx.enqueue` feeds, with one of its own for the kind of job `suite`. */
  queue: Queue
  newId: () => string
  /** Stores a definition in a fresh team: its principal starts runs and holds no role, the manager holds the role `manager` there. */
  seed: (spec: string) => Promise<{ definition: Definition; principal: Principal; managerId: string }>
  /** What a team may use; null: as much as it likes. */
  setQuota: (teamId: string, quota: Quota | null) => Promise<void>
  inspect: (runId: string) => Promise<Inspected>
  /** As if the worker that holds these fetched jobs had died and its lease had run out: the next fetch delivers them again. */
  loseWorker: (jobIds: string[]) => Promise<void>
  /** As if these jobs had vanished, for example with a queue restored from an older backup. */
  dropJobs: (jobIds: string[]) => Promise<void>
  /** How many runs are counted below a root. */
  descendants: (runId: string) => Promise<number>
  setDescendants: (runId: string, count: number) => Promise<void>
  close: () => Promise<void>
}
