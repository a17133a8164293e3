import { parseWorkflow } from '../spec'

/**
 * How long the validator takes for documents of 10, 100 and 500 steps, from text to canonical form, and how long the hash takes besides: the
 * median of many runs after a warm-up, in milliseconds. `tsx bench/spec.ts`
 */
for (const steps of [10, 100, 500]) {
  const text = JSON.stringify(document(steps), null, 2)
  const result = parseWorkflow(text)
  if (!result.ok) throw new Error(JSON.stringify(result.problems.slice(0, 3)))
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now()
    const parsed = parseWorkflow(text)
    const checked = performance.now()
    if (!parsed.ok || parsed.hash === '') throw new Error('it was valid before')
    return { check: checked - start, hash: performance.now() - checked }
  }).slice(100)
  const at = (part: 'check' | 'hash', rank: number) => (times.map((time) => time[part]).toSorted((a, b) => a - b)[rank] ?? 0).toFixed(2)
  const size = `${steps} steps, ${Math.round(text.length / 1024)} KiB`
  console.log(`${size}: ${at('check', 50)} ms (95 %: ${at('check', 95)} ms), the hash ${at('hash', 50)} ms`)
}

/** A document of every kind of step, each after the two before it, as an author would write one. */
function document(count: number): object {
  const ids = Array.from({ length: count }, (_, i) => `step_${i}`)
  const steps = ids.map((id, i) => {
    const before = ids.slice(Math.max(0, i - 2), i)
    return {
      id,
      after: before.map((other, j) => afterOf(other, i - before.length + j)),
      join: i < 2 ? undefined : 'any',
      ...bodyOf(i, before),
    }
  })
  const input = { amount: { type: 'number', minimum: 0 }, list: { type: 'array', items: { type: 'string' } } }
  return { spec: 1, slug: 'bench', title: 'Bench', input, steps, output: { last: `\${steps.${ids.at(-1)}.output}` } }
}

function afterOf(id: string, at: number): string {
  return at % 8 === 5 ? `${id}.large` : id
}

function bodyOf(i: number, before: string[]): object {
  const amount = '${input.amount}'
  const values = { amount, memo: 'A text', from: before.map((id) => `\${steps.${id}.output.value}`) }
  switch (i % 8) {
    case 3:
      return { uses: 'approve', role: 'manager', show: { amount }, form: { reason: { type: 'string', max_length: 200 } } }
    case 4:
      return { uses: 'map', over: '${input.list}', do: { uses: 'tool:note.add', with: { text: '${item}' } } }
    case 5:
      return { uses: 'choice', branches: [{ name: 'large', when: { left: amount, op: 'gt', right: 500 } }, { name: 'small' }] }
    case 6:
      return { uses: 'agent', goal: 'Sort the mail', context: values, tools: ['mail.read'], output: { topic: { type: 'string' } } }
    case 7:
      return { uses: 'wait', seconds: 60 }
    default:
      return { uses: 'tool:ledger.post', with: values, retry: { max_attempts: 3 }, compensate: { uses: 'tool:ledger.reverse' } }
  }
}
