/** The example of the specification, §6, as a person writes it. */
export const EXAMPLE = `{
  "spec": 1,
  "slug": "expense-approval",
  "title": "Expense approval",
  "input": {
    "amount": { "type": "number", "title": "Amount (EUR)", "minimum": 0 },
    "reason": { "type": "string", "title": "What for", "format": "multiline" }
  },
  "run_title": "\${input.reason}",
  "steps": [
    { "id": "route", "uses": "choice", "after": [],
      "branches": [
        { "name": "large", "when": { "left": "\${input.amount}", "op": "gt", "right": 500 } },
        { "name": "small" } ] },
    { "id": "sign_off", "uses": "approve", "after": ["route.large"], "role": "manager",
      "channels": ["web", "email"], "show": { "amount": "\${input.amount}", "reason": "\${input.reason}" } },
    { "id": "pay", "uses": "tool:ledger.post", "after": ["route.small", "sign_off"], "join": "any",
      "with": { "amount": "\${input.amount}", "memo": "\${input.reason}" },
      "compensate": { "uses": "tool:ledger.reverse", "with": { "entry": "\${steps.pay.output.entry_id}" } } }
  ],
  "output": { "entry": "\${steps.pay.output.entry_id}" }
}
`
