import type { StepKind } from '../../kinds'
import type { Predicate } from '../../kinds/choice'

export type Effect = 'read' | 'write' | 'once'
type Ending = 'parked' | 'rejected' | 'cancelled'

/**
 * The words of a description in one language. Sentences without a full stop at the end begin in lower case and stand behind a step's
 * name; all others are whole. What is passed in is worded already: names are in quotes, lists are joined.
 */
export interface Messages {
  lang: string
  quote: (text: string) => string

  // Values
  yes: string
  no: string
  nothing: string
  fixedData: string
  emptyList: string
  /** `one`: the count is 1. */
  listOf: (count: string, one: boolean) => string
  resultOf: (step: string) => string
  partOf: (part: string, of: string) => string
  /** A part of a part. */
  within: (part: string, of: string) => string
  /** `place`: counted from one. */
  itemAt: (place: string) => string
  item: string
  itemNumber: string
  runId: string
  starter: Record<'team_id' | 'user_id' | 'locale', string>
  /** A value and the name under which it is given, where the two differ. */
  as: (value: string, name: string) => string
  more: (count: string) => string

  // What a step is, in a word or two
  kinds: Record<Exclude<StepKind, 'tool'>, string>
  kindWith: (kind: string, what: string) => string

  // What a step does
  tool: (title: string) => string
  job: (title: string) => string
  workflow: (title: string, version: string | null) => string
  agent: (goal: string) => string
  approve: (role: string, people: string | null, where: string, time: string) => string
  channels: Record<'web' | 'email' | 'mcp', string>
  choice: (by: string) => string
  choiceWithoutQuestion: string
  mapOver: (over: string) => string
  mapOverCount: (count: string, one: boolean) => string
  waitFor: (duration: string) => string
  waitSeconds: (value: string) => string
  waitUntil: (value: string) => string
  waitUntilInstant: (instant: string) => string

  // Details of calls
  effects: Record<Effect, string>
  unknownTool: string
  given: (values: string) => string
  retries: (times: string) => string
  noRetry: string
  onceNoRetry: string
  timeLimit: (duration: string) => string
  endings: Record<Ending, string>
  undo: (tool: string, endings: string) => string
  undoNever: (tool: string) => string
  agentContext: (value: string) => string
  agentTools: (tools: string) => string
  agentReadsOnly: string
  agentUnattended: string
  agentNoTools: string
  agentAnswers: (fields: string) => string

  // Details of approvals
  sees: (values: string) => string
  reads: (message: string) => string
  fills: (fields: string) => string
  selfApproval: string
  noSelfApproval: string
  mailedLink: string
  signIn: string
  reminder: (duration: string) => string
  noEnds: string
  rejectedEnds: string
  expiredEnds: string

  // Details of decisions, maps and order
  noneHolds: string
  concurrency: (count: string) => string
  tolerate: (count: string) => string
  comesAfter: (steps: string) => string
  startsAtOnce: string
  neverStarts: string
  onlyIf: (condition: string) => string
  /** One of these conditions is enough. */
  startsIf: (conditions: string) => string
  startsEitherWay: Record<'choice' | 'approve' | 'call', (step: string) => string>
  /** The same as a condition: it has settled, whichever way. */
  eitherWay: Record<'choice' | 'approve' | 'call', (step: string) => string>

  // Who is asked before something happens
  onlyAfterApproval: (gates: string) => string
  asksNobody: string
  asksNobodyIf: (condition: string) => string
  asksNobodySometimes: string
  notApproved: string
  notApprovedIf: (condition: string) => string
  /** In all cases but those told before it. */
  otherwiseApproved: (gates: string) => string

  // Conditions
  predicates: Record<Predicate['op'], (left: string, right: string) => string>
  /** The same, when it does not hold. */
  negated: Record<Predicate['op'], (left: string, right: string) => string>
  branchTaken: (step: string, branches: string) => string
  portTaken: Record<'failed' | 'rejected' | 'expired' | 'approved' | 'succeeded', (step: string) => string>

  // Labels of what is nested
  if: (condition: string) => string
  elseIf: (condition: string) => string
  otherwise: string
  always: string
  /** A condition and the name of the way that is taken then. */
  namedBranch: (label: string, name: string) => string
  forEach: string
  ifPort: Record<'failed' | 'rejected' | 'expired', string>
  goesOn: (label: string, steps: string) => string
  endsHere: (label: string) => string

  // The whole document
  startedWith: (inputs: string) => string
  optionalInput: (input: string) => string
  usualRetries: (times: string) => string
  failureStops: string
  result: (names: string) => string
}
