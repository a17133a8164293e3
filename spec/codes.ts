/*
 * The closed lists of codes: people and programs match on them, so a code is never renamed, and a new rule gets a new code.
 * The reference page is made from these sentences.
 */

/** Every code a problem of a document, or of values given to a run or a form, can carry, and what it means. */
export const PROBLEM_MEANINGS = {
  // The text
  syntax_error: 'The text is not JSON from here on, and nothing after this place was read.',
  byte_order_mark: 'A byte-order mark stands before the document.',
  comment: 'Comments are not part of JSON.',
  trailing_comma: 'A comma stands before a closing bracket or brace.',
  duplicate_key: 'An object has the same key twice.',
  lone_surrogate: 'A string or key holds half of a surrogate pair, which is not text.',
  null_character: 'A string or key holds U+0000.',
  number_not_exact: 'A number would silently become another one when it is read.',
  not_json: 'A value given by a program is not JSON, as a function, a date or NaN is not.',
  // Limits
  document_too_large: 'The document is larger than the limit.',
  too_deep: 'A value or a field is nested deeper than the limit.',
  too_many: 'A list or map has more members than the limit.',
  // Structure
  unsupported_spec: "'spec' is not a version of the format that is known here.",
  unknown_kind: "'uses' names a kind of step that is not known, or that cannot stand here.",
  unknown_field: 'A field is not known here.',
  missing_field: 'A field that is required here is missing; the path is where it would stand.',
  wrong_type: 'A value has the wrong JSON type.',
  invalid_value: 'A value has the right type and is not allowed by a bound, a pattern or a list of words.',
  invalid_name: 'A key that names a field or a value does not match the pattern of names.',
  field_not_allowed: 'A field that is known does not go together with the others.',
  duplicate_id: 'Two steps, or two branches of one choice, have the same name.',
  duplicate_entry: 'A list names the same thing twice.',
  range_empty: 'A minimum is above its maximum.',
  default_invalid: 'A default does not satisfy its own field.',
  enum_invalid: 'A value of an enum does not satisfy its own field.',
  // Graph
  unknown_step: 'A step that is named does not exist.',
  unknown_port: 'A port that is named does not exist.',
  port_required: 'A step without a usual port is waited for without naming one.',
  cycle: 'Steps wait for each other, and none of them can ever start.',
  never_starts: 'A step waits for two ports of one step, of which only one can be taken.',
  // References
  invalid_reference: "A string in a value position holds '${' and is not exactly one reference.",
  reference_required: 'A literal stands where only a reference makes sense.',
  reference_not_allowed: 'A reference stands where none, or none of its sort, may stand.',
  reference_in_key: "A key in a value position holds '${'.",
  unknown_input: 'A reference names an input that is not declared.',
  not_an_ancestor: 'A reference names a step that does not come before the one that holds it.',
  secret_not_allowed: "A reference to a secret stands elsewhere than in a tool's input.",
  // Inputs given at the start, or a form's values
  input_missing: 'A required input is missing.',
  input_unknown: 'An input is given that is not declared.',
  input_invalid: 'An input does not satisfy its field.',
  // The list itself was cut
  more_problems: 'There are more problems than are listed.',
} as const

/** Every code that the error of a run, a step, an item or an attempt can carry, and the flags of an output, and what they mean. */
export const RUN_CODES = {
  // Never caught by `failed`: the run parks
  denied: 'The call was not permitted.',
  unknown_tool: 'No loaded plugin brings the tool.',
  unknown_job: 'No loaded plugin brings the job.',
  outcome_unknown: 'A call that cannot be repeated ended so that nobody can know whether it happened.',
  no_branch: 'No branch of a choice holds.',
  predicate_type_mismatch: 'A condition compares values of types that it does not define.',
  wait_invalid: "A wait's 'seconds' or 'until' came to a value of the wrong type, or above the limit.",
  // Ordinary failures of calls
  invalid_input: "The call's input does not fit what the tool, job or workflow takes.",
  secret_not_allowed: "A secret was to be given to a tool's input that the tool does not declare secret.",
  secret_unreadable: 'A secret of the run could not be opened: its key is not known any more, or it was changed.',
  transient: 'The call failed in a way that may pass, and no attempts are left.',
  network: 'The call failed on the network, and no attempts are left.',
  timeout: 'The attempt took longer than its time limit.',
  aborted: 'The attempt was told to stop and ended without a result.',
  rate_limited: 'The call was refused as too many for 24 hours.',
  platform_error: 'The platform could not start the call.',
  worker_lost: 'The worker was lost while the attempt ran.',
  interrupted: 'An attempt was lost while the run was stopping, and was not made again.',
  failed: 'The call failed for good, in its own words.',
  not_performed: 'A person has recorded that the call of unknown outcome did not happen.',
  // Maps
  map_over_not_array: "A map's 'over' came to something else than an array.",
  map_too_large: 'A map was to go over more than 10,000 items, or its output is larger than the limit.',
  map_failed: 'More items of a map failed than it tolerates.',
  // Child workflows
  child_not_started: 'The child workflow could not be started: unknown, archived, not permitted, too deep or too many.',
  child_parked: 'The child run stopped and needs attention, and the parent follows its failure.',
  child_cancelled: 'The child run was cancelled.',
  child_rejected: 'The child run ended as rejected.',
  // Agents
  agent_not_configured: 'No model is configured that an agent could ask.',
  agent_turns_exhausted: 'The agent used all its turns without an answer.',
  agent_output_invalid: "The agent's answer does not have the fields demanded.",
  // Ends of a run by approvals
  approval_rejected: 'An approval was refused, and no step follows that.',
  approval_expired: 'An approval was not decided in time, and no step follows that.',
  // Flags of a success
  output_truncated: 'The call succeeded and its output was larger than the limit: it is null.',
  output_invalid: 'The call succeeded and its output was not JSON, or not what the tool declares: it is null.',
} as const

export type RunCode = keyof typeof RUN_CODES
