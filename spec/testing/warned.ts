import { z } from 'zod'
import { type Catalogue, type Json, type Step, validateWorkflow, type Warning, warningsOf, type WorkflowSpec } from '..'

const schema = (type: z.ZodType, io: 'input' | 'output'): Json => JSON.parse(JSON.stringify(z.toJSONSchema(type, { io }))) as Json
export const facts = (input: z.ZodObject, output: z.ZodType) => ({
  title: 'T',
  input: schema(input.def.catchall ? input : input.strict(), 'input'),
  output: schema(output, 'output'),
})
const entry = z.object({ entry_id: z.uuid(), amount: z.number(), note: z.string().nullable() })
/** What is known of the tools, jobs, workflows and roles that the tests of warnings use. */
export const CATALOGUE: Catalogue = {
  tools: new Map([
    [
      'ledger.post',
      {
        effect: 'write' as const,
        ...facts(z.object({ amount: z.number().max(1000), memo: z.string().min(1) }), z.object({ entry_id: z.uuid() })),
      },
    ],
    ['ledger.reverse', { effect: 'write' as const, ...facts(z.object({ entry: z.uuid() }), z.object({ entry_id: z.uuid() })) }],
    [
      'ledger.list',
      {
        effect: 'read' as const,
        ...facts(z.object({ limit: z.int().default(100) }), z.object({ entries: z.array(entry), total: z.number() })),
      },
    ],
    [
      'mail.send',
      {
        effect: 'once' as const,
        ...facts(
          z.object({
            to: z.union([z.string(), z.array(z.string())]),
            kind: z.enum(['plain', 'html']).optional(),
            extra: z.record(z.string(), z.number()).optional(),
          }),
          z.object({ id: z.string() }),
        ),
      },
    ],
    [
      'vault.open',
      {
        effect: 'read' as const,
        ...facts(z.object({ token: z.string().meta({ writeOnly: true }), name: z.string().optional() }), z.json()),
      },
    ],
    ['any', { effect: 'write' as const, ...facts(z.object({ value: z.json() }).loose(), z.json()) }],
  ]),
  jobs: new Map([['movie.cut', facts(z.object({ file: z.string() }), z.object({ seconds: z.number() }))]]),
  workflows: new Map([['pay-out', { title: 'Pay out', version: 2, input: { amount: { type: 'number' } }, output: ['receipt'] }]]),
  roles: new Set(['manager']),
}

const INPUT: WorkflowSpec['input'] = {
  amount: { type: 'number' },
  reason: { type: 'string' },
  small: { type: 'integer', required: false },
  person: { type: 'object', properties: { name: { type: 'string' } } },
  people: { type: 'array', items: { type: 'object', properties: { mail: { type: 'string' } } } },
  key: { type: 'string', secret: true },
}

export function valid(steps: Step[], more: Partial<WorkflowSpec> = {}): WorkflowSpec {
  const spec: WorkflowSpec = { spec: 1, slug: 'a-flow', title: 'A flow', input: INPUT ?? {}, steps, ...more }
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return spec
}
/** The warnings of a valid document of these steps. */
export const warned = (steps: Step[], catalogue: Catalogue = CATALOGUE, more: Partial<WorkflowSpec> = {}) =>
  warningsOf(valid(steps, more), catalogue)
export const brief = (warnings: Warning[]) => warnings.map(({ code, path }) => `${code} ${path}`)
export const of = (code: string, warnings: Warning[]) => warnings.filter((warning) => warning.code === code).map(({ path }) => path)

export const post = (id: string, after: string[], values: Record<string, Json> = { amount: 1, memo: 'm' }, more: object = {}): Step =>
  ({ id, uses: 'tool:ledger.post', after, with: values, ...more }) as Step
export const gate = (id: string, after: string[], more: object = {}): Step => ({ id, uses: 'approve', after, role: 'manager', ...more })

export const list = (id: string, after: string[] = []): Step => ({ id, uses: 'tool:ledger.list', after })
