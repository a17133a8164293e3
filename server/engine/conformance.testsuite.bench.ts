import type { Json, WorkflowSpec } from '@/spec'
import type { WorkflowEngine } from './engine'
import type { EngineError, Principal } from './model'
import type { Gate, Models, Ports, Queue, Tool } from './ports'

/** What is seen of a step, and of a run; items in their places. */
export type SeenStep = {
  status: string
  output: Json | undefined
  error: EngineError | null
  flag: string | null
  items: Pick<SeenStep, 'status' | 'child' | 'flag'>[]
  /** The run that it started. */
  child: string | null
}
export type SeenRun = {
  id: string
  title: string | null
  status: string
  output: Json | null
  error: EngineError | null
  steps: Map<string, SeenStep>
  gates: Pick<Gate, 'id' | 'stepId' | 'status' | 'message' | 'show'>[]
}

/** What the kit's run cases need of an engine: on whatever store, with a clock that stands still until it is turned. */
export type Bench = {
  engine: WorkflowEngine
  queue: Queue
  /** Turns the clock; whatever wakes by it has been woken when this returns. */
  advance(ms: number): void | Promise<void>
  start(slug: string, input: Record<string, Json>, principal: Principal): Promise<string>
  grantRole(teamId: string, userId: string, role: string): void | Promise<void>
  /** The next version of a workflow. */
  publish(document: WorkflowSpec): void | Promise<void>
  run(runId: string): SeenRun | Promise<SeenRun>
  /** Resolves when the store does nothing and nothing follows that would make it; where that needs more than a turn of the event loop. */
  calm?: () => Promise<void>
  /** What the store calls a person or team; their own names unless given. */
  idOf?: (name: string) => string
}
type BenchOptions = {
  /** The team that owns the workflows. */
  teamId: string
  tools: Tool[]
  jobs: Tool[]
  model: Models['reply']
  workflows: WorkflowSpec[]
  random: () => number
  access: Ports['access']
}
export type CreateBench = (options: BenchOptions) => Bench | Promise<Bench>
