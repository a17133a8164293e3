import type { Description, Fields, GateStatus, Json, RunStatus, StepStatus } from '@/spec'

/**
 * What each answer holds. The org admin's answers are types without the data fields (`…Shape`), so that redaction happens by
 * construction: a service that forgets it does not compile. All instants are ISO 8601 strings in UTC.
 */

type TeamView = {
  slug: string
  name: string
  orgName: string
  /** null: sees the team as org admin or role holder only */ level: 'member' | 'editor' | 'owner' | null
  /** may read the team's data */ readsData: boolean
  roles: string[]
}

export type MeView = { id: string; name: string; email: string; locale: string; timeZone: string; isOrgAdmin: boolean; teams: TeamView[] }

export type WorkflowRow = {
  slug: string
  title: string
  /** One line: the document's description, or its first sentences in plain words. */
  summary: string
  /** The language of the summary; null: that of whoever wrote the document. */ summaryLang: string | null
  version: number
  source: string
  /** Newest first, at most 10. */
  lastRuns: { id: string; status: RunStatus; createdAt: string }[]
  medianSeconds: number | null
  mayRun: boolean
}

export type WorkflowView = WorkflowRow & {
  description: string | null
  /** Canonical text of the spec. */
  spec: string
  hash: string
  createdAt: string
  versions: { version: number; source: string; createdAt: string; createdBy: string | null }[]
  /** What it will do in plain words, in the person's language where there are words in it. */
  plan: Description
  /** Per tool and job (`job:KIND`) that the steps call; null: no loaded plugin brings it. */
  tools: Record<string, { title: string; effect: 'read' | 'write' | 'once'; enabled: boolean } | null>
  /** JSON Schema 2020-12 of the input, for the run form. */
  inputSchema: Json
}

export type RunShape = {
  view: 'shape'
  id: string
  team: string
  workflow: { slug: string; title: string; version: number }
  status: RunStatus
  stopping: boolean
  startedBy: { id: string; name: string }
  /** The run that started this one as its child, by its workflow's title; null: a person or a program did. */
  parent: { id: string; title: string } | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  stepsSettled: number
  stepsTotal: number
  errorCode: string | null
  errorStep: string | null
}
export type RunSummary = Omit<RunShape, 'view'> & { view: 'data'; title: string | null; errorMessage: string | null }
export type RunRow = RunShape | RunSummary

export type StepShape = {
  id: string
  title: string | null
  kind: string
  status: StepStatus
  attempt: number
  maxAttempts: number | null
  startedAt: string | null
  finishedAt: string | null
  /** When the next try may start, or until when a wait lasts. */
  notBefore: string | null
  /** The team's quota puts it off, or all items of it that could run: by which limit, and when it is looked at again at the latest. */
  deferred: { until: string; reason: 'steps_per_day' | 'concurrent_steps' } | null
  errorCode: string | null
  /** The branch or port taken: visible shape. */
  port: string | null
  undo: StepStatus | null
  /** The run that this step started, in the same team. */
  child: { id: string; status: RunStatus } | null
  /** The run that it waits for and that needs attention: `child`, one that an item started, or one further down. Null: there is none. */
  stopped: string | null
  items: { total: number; succeeded: number; failed: number; active: number } | null
  /** Of an agent: how many replies it has given. */
  turns: number | null
}
/** A step keeps up to 1 MiB; what is larger than 256 KiB (128 KiB in a conversation) is left out of the answer, which says so. */
type InAndOut = {
  input: Json | null
  /** Where the input is left out: the bytes of its JSON text. Null: it is not. */
  inputOmitted: number | null
  output: Json | null
  outputOmitted: number | null
}
export type StepData = StepShape &
  InAndOut & {
    errorMessage: string | null
    hint: string | null
    flag: string | null
    attempts: {
      attempt: number
      /** the plugin that was called, and its version */ plugin: string | null
      startedAt: string | null
      finishedAt: string
      code: string
      message: string
    }[]
  }

/** One item of a map; `item` counts from 0. */
export type ItemShape = { item: number } & Pick<
  StepShape,
  'status' | 'attempt' | 'startedAt' | 'finishedAt' | 'notBefore' | 'errorCode' | 'undo' | 'child' | 'stopped'
>
export type ItemData = ItemShape & InAndOut & Pick<StepData, 'errorMessage' | 'flag'>
export type ItemsView = { view: 'shape'; rows: ItemShape[] } | { view: 'data'; rows: ItemData[] }

/** One reply of an agent. What the model wrote is data, the names of tools too unless the document lists them. */
export type TurnShape = { turn: number; at: string | null; calls: AgentCallShape[] }
export type AgentCallShape = Pick<StepShape, 'status' | 'attempt' | 'startedAt' | 'finishedAt' | 'errorCode'> & { tool: string | null }
export type TurnData = TurnShape & {
  text: string | null
  answer: Json | null
  /** Where the reply is left out, and with it what it asked the calls for: its bytes. */ omitted: number | null
  calls: AgentCallData[]
}
export type AgentCallData = AgentCallShape & InAndOut & Pick<StepData, 'errorMessage'>
export type TurnsView = { view: 'shape'; turns: TurnShape[] } | { view: 'data'; turns: TurnData[] }

export type GateShape = {
  id: string
  stepId: string
  title: string
  role: string
  status: GateStatus
  openedAt: string
  expiresAt: string
  settledAt: string | null
  approvals: number
  decided: number
}
export type DecisionView = {
  by: { id: string; name: string }
  decision: 'approve' | 'reject'
  channel: string
  comment: string | null
  at: string
}
export type GateData = GateShape & {
  /** people who hold the role now and may answer */ waitingFor: string[]
  /** where `waitingFor` is empty although the gate is open: why, in words; else null */ nobodyLeft: string | null
  mayDecide: boolean
  decisions: DecisionView[]
}

/** A call of which nobody knows whether it happened; item -1 outside maps. */
export type UnknownShape = { stepId: string; item: number }
/** With the idempotency keys under which it was made: one, or of an agent as many as it has such calls. */
export type UnknownCall = UnknownShape & { keys: string[] }
/** What this person may do with the run now. */
type RunRights = { mayCancel: boolean; mayRedrive: boolean; mayRecordOutcome: boolean }
type RunViewShape = RunShape &
  RunRights & { unknown: UnknownShape[]; steps: StepShape[]; gates: GateShape[]; spec: string; revision: number }
type RunViewData = RunSummary &
  RunRights & {
    unknown: UnknownCall[]
    steps: StepData[]
    gates: GateData[]
    spec: string
    revision: number
    input: Record<string, Json>
    output: Json | null
  }
export type RunView = RunViewShape | RunViewData

/** What a role holder sees of a gate, and nothing else of the run. `run` is null unless this person may read it. */
export type ApprovalView = {
  id: string
  team: { slug: string; name: string }
  workflow: { slug: string; title: string }
  title: string
  message: Json | null
  show: Record<string, Json>
  /** By entry of `show` that is a field of the run's input: that field's title, where it has one. */ titles: Record<string, string>
  form: Fields | null
  formSchema: Json | null
  role: string
  status: GateStatus
  startedBy: string
  openedAt: string
  expiresAt: string
  approvals: number
  decisions: DecisionView[]
  /** null: may decide now; else why not, in words. */
  cannotDecide: string | null
  run: { id: string } | null
}
export type ApprovalRow = Pick<ApprovalView, 'id' | 'team' | 'workflow' | 'title' | 'status' | 'startedBy' | 'openedAt' | 'expiresAt'> & {
  cannotDecide: string | null
  /** The first few plain values of what the gate shows, shortened, so that five approvals of one workflow can be told apart. */
  shown: { name: string; /** as `titles` of the whole approval */ title: string | null; text: string }[]
}

export type Page<T> = { rows: T[]; /** pass it back as `cursor`; null: that was the last page */ next: string | null }

export type ApiKeyView = {
  id: string
  name: string
  team: string
  prefix: string
  scopes: string[]
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  revoked: boolean
}
