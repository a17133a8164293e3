import * as fc from 'fast-check'
import { describe as suite, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { describe, type DescribedStep, describeText, parseWorkflow, type Step, stepWords, validateWorkflow, type WorkflowSpec } from '..'
import { arbitrarySpec } from '../testing/arbitrary-spec'
import { EXAMPLE } from '../testing/example'
import { en } from './messages/en'
import { es } from './messages/es'

const TOOLS = new Map([
  ['ledger.post', { title: 'Post to the ledger', effect: 'write' as const }],
  ['ledger.reverse', { title: 'Reverse an entry', effect: 'write' as const }],
  ['mail.send', { title: 'Send a mail', effect: 'once' as const }],
  ['note.add', { title: 'Add a note', effect: 'write' as const }],
  ['crm.find', { title: 'Find customers', effect: 'read' as const }],
])

function valid(spec: unknown): WorkflowSpec {
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.spec
}
const example = (...more: Step[]): WorkflowSpec => {
  const parsed = parseWorkflow(EXAMPLE)
  if (!parsed.ok) throw new Error('the example is refused')
  return valid({ ...parsed.spec, steps: [...parsed.spec.steps, ...more] })
}
const flow = (...steps: Step[]): WorkflowSpec =>
  valid({ spec: 1, slug: 'a-flow', title: 'A flow', input: { n: { type: 'number', title: 'Number' }, list: { type: 'array' } }, steps })

const flat = (steps: DescribedStep[]): DescribedStep[] =>
  steps.flatMap((step) => [step, ...step.children.flatMap((child) => flat(child.steps))])
const told = (spec: WorkflowSpec, id: string, locale = 'en') => {
  const found = flat(describe(spec, { tools: TOOLS }, locale).steps).find(({ step }) => step === id)
  if (found === undefined) throw new Error(`'${id}' is not told`)
  return found
}

const gate = (id: string, after: string[]): Step => ({ id, uses: 'approve', after, role: 'boss' })
const pay = (after: string[], join: 'all' | 'any' = 'all'): Step => ({ id: 'pay', uses: 'tool:ledger.post', after, join })
const asked = (...steps: Step[]) => told(flow(...steps), 'pay').details.find((detail) => !detail.startsWith('Comes after'))
const agent = (unattended: boolean): Step => ({ id: 'a', uses: 'agent', after: [], goal: 'Tidy up.', tools: ['note.add'], unattended })
const look = (id: string, after: string[]): Step => ({ id, uses: 'tool:crm.find', after })

suite('describe', () => {
  it('says in words what the example will do', () => {
    expect(describeText(describe(example(), { tools: TOOLS }))).toBe(`Expense approval

It is started with Amount (EUR) and What for.
Unless said otherwise, what fails for a passing reason is tried up to 5 times in all.
If a step fails for good and nothing is said about that, the run stops and waits for a person.
In the end it gives back “entry”.

1. Route: looks at Amount (EUR) and decides how to go on.
   If Amount (EUR) is more than 500:
      1.1. Sign off: asks somebody with the role “manager” to approve, on the web or by mail, within 3 days.
         - They see Amount (EUR) and What for.
         - Whoever started the run may not decide.
         - The link in the mail is enough to decide, without signing in.
         - If they say no, or nobody answers in time, the run ends as rejected.
   Otherwise, it goes straight on with “pay”.
2. Pay: runs “Post to the ledger”.
   - If Amount (EUR) is at most 500, it happens without asking anyone.
   - Otherwise only after “sign off” is approved.
   - It is given Amount (EUR) and What for as “memo”.
   - Changes something; a repeat has no second effect.
   - If the run later stops because of a problem, this is undone with “Reverse an entry”.
`)
  })

  it('says the same in Spanish', () => {
    const { lang, steps } = describe(example(), { tools: TOOLS }, 'es-MX')
    expect(lang).toBe('es')
    expect(steps[1]).toEqual({
      step: 'pay',
      sentence: 'Pay: ejecuta «Post to the ledger».',
      details: [
        'Si Amount (EUR) es 500 o menos, ocurre sin preguntar a nadie.',
        'Si no, solo después de que se apruebe «sign off».',
        'Recibe Amount (EUR) y What for como «memo».',
        'Cambia algo; repetirlo no tiene un segundo efecto.',
        'Si después la ejecución se detiene por un problema, esto se deshace con «Reverse an entry».',
      ],
      children: [],
    })
  })

  it('answers in English, numbers included, where it has no words in a language, and survives what is no language', () => {
    const steps: Step[] = [
      { id: 'pause', uses: 'choice', after: [], branches: [{ name: 'a', when: { left: '${input.n}', op: 'gt', right: 1234.5 } }] },
    ]
    for (const locale of ['de', 'xx-Unknown', '', 'en-$$'])
      expect(describe(flow(...steps), {}, locale).steps[0]?.children[0]?.label, locale).toContain('1,234.5')
    expect(describe(flow(...steps), {}, 'es-ES').steps[0]?.children[0]?.label).toContain('1234,5')
  })

  it('nests what a rejection and what a failure lead to, and says that nobody approved it', () => {
    const spec = example(
      { id: 'tell', uses: 'tool:note.add', after: ['sign_off.rejected', 'sign_off.expired'], join: 'any' },
      { id: 'mend', uses: 'tool:note.add', after: ['pay.failed'] },
    )
    expect(told(spec, 'sign_off').children).toMatchObject([
      { label: 'If they say no or nobody answers in time:', steps: [{ step: 'tell' }] },
    ])
    expect(told(spec, 'sign_off').details.join()).not.toContain('ends as rejected')
    expect(told(spec, 'tell').details[0]).toBe('Happens although nobody approved it.')
    expect(told(spec, 'pay').children).toMatchObject([{ label: 'If it fails:', steps: [{ step: 'mend' }] }])
  })

  it('says which approvals something needs, and which ways go around them', () => {
    expect(asked(pay([]))).toBe('Happens without asking anyone.')
    expect(asked(gate('a', []), gate('b', ['a']), pay(['b']))).toBe('Happens only after this approval: “a” and “b”.')
    expect(asked(gate('a', []), gate('b', []), pay(['a', 'b'], 'any'))).toBe('Happens only after this approval: “a” and “b”.')
    expect(asked(gate('a', []), pay(['a', 'a.expired'], 'any'))).toBe(
      'If nobody answers “a” in time, it happens although nobody approved it.',
    )
    const wait: Step = { id: 'x', uses: 'wait', after: [], seconds: 1 }
    expect(asked(gate('a', []), wait, pay(['a', 'x'], 'any'))).toBe('Happens only after this approval: “a”.')
  })

  it('says what never is repeated, what is tried how often, and what an agent may do', () => {
    expect(told(flow({ id: 'mail', uses: 'tool:mail.send', after: [] }), 'mail').details).toContain(en.onceNoRetry)
    expect(told(flow({ id: 'a', uses: 'tool:note.add', after: [], retry: { max_attempts: 1 } }), 'a').details).toContain(en.noRetry)
    expect(told(flow({ id: 'a', uses: 'tool:note.add', after: [], retry: { max_attempts: 3 } }), 'a').details).toContain(en.retries('3'))
    expect(told(flow({ id: 'a', uses: 'tool:gone', after: [] }), 'a').details).toContain(en.unknownTool)
    expect(told(flow(agent(false)), 'a')).toMatchObject({
      sentence: 'A: gives an AI agent this task: “Tidy up.”',
      details: ['It may use “Add a note”.', en.agentReadsOnly],
    })
    expect(told(flow(agent(true)), 'a').details).toEqual([en.asksNobody, 'It may use “Add a note”.', en.agentUnattended])
  })

  it('says of an agent behind an approval both what it needs and what it then does on its own, without contradiction', () => {
    const spec = flow(gate('ask', []), { ...agent(true), after: ['ask'] } as Step)
    expect(told(spec, 'a').details).toEqual(['Happens only after this approval: “ask”.', 'It may use “Add a note”.', en.agentUnattended])
    for (const text of [en.agentUnattended, es.agentUnattended]) expect(text).not.toMatch(/without asking|sin preguntar/)
  })

  it('names the parts of results from the inside out', () => {
    const each: Step = { id: 'm', uses: 'map', after: [], over: [1], do: { uses: 'tool:note.add' } }
    const given = { c: '${steps.m.output.error.code}', f: '${steps.m.output.failed.0.index}' }
    const spec = flow(each, { ...pay(['m']), with: given } as Step)
    expect(told(spec, 'pay').details).toContain('It is given code of error from “m” as “c” and index of item 1 of failed from “m” as “f”.')
    expect(told(spec, 'pay', 'es').details).toContain(
      'Recibe code de error de «m» como «c» e index de elemento 1 de failed de «m» como «f».',
    )
  })

  it('puts below a map what it does with each item', () => {
    const spec = flow({
      id: 'all',
      uses: 'map',
      after: [],
      over: '${input.list}',
      tolerate: 2,
      do: { uses: 'tool:mail.send', with: { to: '${item.address}' } },
    })
    expect(told(spec, 'all')).toMatchObject({
      sentence: 'All: goes through list and does the same for each.',
      details: [en.concurrency('10'), en.tolerate('2')],
      children: [{ label: 'For each of them:', steps: [{ step: 'all', sentence: 'Runs “Send a mail”.' }] }],
    })
    expect(told(spec, 'all', 'es').children[0]?.steps[0]?.details).toContain('Recibe address del elemento como «to».')
  })

  it('says what comes after what, where the order of the page does not', () => {
    const spec = flow(look('a', []), look('b', ['a']), look('c', ['a']), look('d', []), look('e', ['b', 'd']))
    expect(['a', 'b', 'c', 'd', 'e'].map((id) => told(spec, id).details[0])).toEqual([
      en.effects.read,
      en.effects.read,
      'Comes after “a”.',
      en.startsAtOnce,
      'Comes after “b” and “d”.',
    ])
  })

  it('says of a step that no run comes to just that', () => {
    const spec = flow(
      { ...gate('ask', []) },
      { ...look('no', ['ask.rejected', 'ask.expired']), join: 'any' },
      { id: 'both', uses: 'tool:mail.send', after: ['ask', 'no'], with: {} },
      look('behind', ['both']),
    )
    expect(told(spec, 'both').details[0]).toBe(en.neverStarts)
    expect(told(spec, 'behind').details[0]).toBe(en.neverStarts)
    expect(told(spec, 'no').details).not.toContain(en.neverStarts)
    expect(told(spec, 'both', 'es').details.join(' ')).not.toContain(es.asksNobody)
  })

  it('writes durations and instants as people do', () => {
    const wait = (seconds: number, locale = 'en') => told(flow({ id: 'w', uses: 'wait', after: [], seconds }), 'w', locale).sentence
    expect([wait(0), wait(90), wait(604_800), wait(90_061), wait(1.5)]).toEqual([
      'W: waits 0 seconds.',
      'W: waits 1 minute and 30 seconds.',
      'W: waits 7 days.',
      'W: waits 1 day, 1 hour, 1 minute, and 1 second.',
      'W: waits 1.5 seconds.',
    ])
    expect(wait(90, 'es')).toBe('W: espera 1 minuto y 30 segundos.')
    const until: Step = { id: 'w', uses: 'wait', after: [], until: '2027-03-01T09:00:00+01:00' }
    expect(told(flow(until), 'w', 'es').sentence).toBe('W: espera hasta el 1 de marzo de 2027, 8:00 UTC.')
  })

  it('calls things by their names where their titles show nothing', () => {
    const [blank, start] = [' \u200B\t', { n: { type: 'number' as const, title: ' ' } }]
    const spec = valid({ ...flow({ ...gate('ask_them', []), title: blank }), title: blank, input: start })
    const text = describeText(describe(spec))
    expect(text).toMatch(/^a-flow\n/)
    expect(text).toContain('1. Ask them: ')
    expect(text).toContain('started with n.')
  })

  it('puts nothing but text into a terminal, the title of the workflow included', () => {
    const text = describeText(describe(valid({ ...flow(gate('ask', [])), title: 'a\u001B[2J\u009Bm\u202Eb\nc' })))
    expect(text.split('\n')[0]).toBe('a [2J m b c')
  })

  it('keeps what an author wrote on one line and in its direction', () => {
    const marks = '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069'
    const title = `a\nb\u001B[31m${marks}c`
    const text = describeText(describe(flow({ id: 'a', uses: 'tool:x', after: [], title }), {}))
    expect(text).toContain('1. A b [31m c: runs “x”.')
    for (const character of ['\u001B', ...marks]) expect(text).not.toContain(character)
  })

  it('tells every step of every valid document once, a map with its body, in both languages', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(arbitrarySpec(), fc.constantFrom('en', 'es'), (spec, locale) => {
        const description = describe(spec, { tools: new Map() }, locale)
        const ids = spec.steps.flatMap(({ id, uses }) => (uses === 'map' ? [id, id] : [id]))
        const steps = flat(description.steps)
        expect(steps.map(({ step }) => step).sort()).toEqual(ids.sort())
        const texts = steps.flatMap(({ sentence, details }) => [[sentence], details].flat())
        expect(texts.filter((text) => !/^[^\n]*[.”]$/u.test(text))).toEqual([])
        expect(JSON.stringify(description)).not.toMatch(/undefined|\[object|\$\{/)
      }),
      { numRuns: effort(30) },
    )
  })

  it('has every word in both languages', () => {
    const shape = (words: object): unknown =>
      Object.fromEntries(
        Object.entries(words).map(([key, word]: [string, unknown]) => [
          key,
          typeof word === 'object' && word !== null ? shape(word) : typeof word,
        ]),
      )
    expect(shape(es)).toEqual(shape(en))
  })
})

const words = (step: Partial<Step> & { uses: string }, locale?: string) =>
  stepWords({ id: 'a', after: [], ...step } as Step, { tools: TOOLS, workflows: new Map([['pay-out', { title: 'Pay out' }]]) }, locale)

suite('stepWords', () => {
  it('says in a word or two what a step is', () => {
    expect(words({ uses: 'tool:ledger.post' })).toBe('Post to the ledger')
    expect(words({ uses: 'job:movie.cut' })).toBe('Job: movie.cut')
    expect(words({ uses: 'workflow:pay-out@2' })).toBe('Workflow: Pay out')
    expect(words({ uses: 'agent', goal: 'x' })).toBe('AI agent')
    expect(words({ uses: 'approve', role: 'boss' }, 'es')).toBe('Aprobación: boss')
    expect(words({ uses: 'map', over: [], do: { uses: 'tool:mail.send' } })).toBe('For each: Send a mail')
  })
})
