import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { type Json, WARNING_CODES, warningsOf, type WorkflowSpec } from '..'
import { arbitrarySpec } from '../testing/arbitrary-spec'
import { brief, CATALOGUE, list, of, post, warned } from '../testing/warned'

const secretsIn = (values: Record<string, Json>) =>
  warned([{ id: 'a', uses: 'tool:any', after: [], with: { value: 1, ...values } }]).filter(({ code }) => code === 'secret_literal')

describe('agents, unused results and secrets', () => {
  it('an agent that may act on its own is warned of, in a map too', () => {
    const agent = { uses: 'agent' as const, goal: 'x', tools: ['mail.send'], unattended: true }
    expect(
      brief(
        warned([
          { id: 'a', after: [], ...agent },
          { id: 'm', uses: 'map', after: ['a'], over: [1], do: agent },
        ]),
      ),
    ).toEqual(['unattended_agent /steps/0/unattended', 'unattended_agent /steps/1/do/unattended'])
  })

  it('what only reads and nobody uses is warned of; what acts, is followed or is referred to is not', () => {
    expect(
      of(
        'result_unused',
        warned([list('a'), post('b', []), list('c'), list('d'), post('e', ['d'])], CATALOGUE, { output: { x: '${steps.c.output.total}' } }),
      ),
    ).toEqual(['/steps/0'])
  })

  it('texts that look like credentials are warned of and never repeated', () => {
    const found = secretsIn({
      password: 'hunter2hunter2',
      apiKey: 'abcd-1234-efgh',
      headers: { authorization: `x ghp_${'a'.repeat(36)}`, 'client-secret': 's3cr3tvalue' },
      url: 'postgres://me:pa55word@host/db',
    })
    expect(brief(found)).toEqual([
      'secret_literal /steps/0/with/password',
      'secret_literal /steps/0/with/apiKey',
      'secret_literal /steps/0/with/headers/authorization',
      'secret_literal /steps/0/with/headers/client-secret',
      'secret_literal /steps/0/with/url',
    ])
    expect(JSON.stringify(found)).not.toMatch(/hunter2|ghp_|s3cr3t|pa55/)
    expect(
      secretsIn({
        password: '${input.key}',
        token: 'next',
        token_count: 'many-tokens',
        secret: '<your secret>',
        password_hint: 'thedogsname',
        note: 'https://example.org/a:b@c',
        api_key: 'change-me-please',
        passphrase: 'a sentence of words',
      }),
    ).toEqual([])
  })

  it('a default belongs to the name of its field', () => {
    const input = { password: { type: 'string' as const, default: 'hunter2hunter2' } }
    expect(of('secret_literal', warned([post('a', [])], CATALOGUE, { input }))).toEqual(['/input/password/default'])
  })
})

describe('the list', () => {
  it('follows the document as it is written, and fits any valid document', { timeout: effort(60_000) }, () => {
    fc.assert(
      fc.property(arbitrarySpec(), (spec) => {
        const warnings = warningsOf(spec, CATALOGUE)
        const steps = warnings.map(({ path }) => path.split('/')).flatMap(([, top, at]) => (top === 'steps' ? [Number(at)] : []))
        expect(steps).toEqual(steps.toSorted((a, b) => a - b))
        for (const { code } of warnings) expect(WARNING_CODES).toContain(code)
        expect(warningsOf(JSON.parse(JSON.stringify(spec)) as WorkflowSpec, CATALOGUE)).toEqual(warnings)
      }),
      { numRuns: effort(30) },
    )
  })
})

it('lists as many warnings as anybody could read, and says how many are left', () => {
  const inputs = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`k${i}`, 1]))
  const spec: WorkflowSpec = {
    spec: 1,
    slug: 'a-flow',
    title: 'A',
    steps: [{ id: 'a', uses: 'tool:ledger.post', after: [], with: inputs }],
  }
  const warnings = warningsOf(spec, CATALOGUE)
  expect(warnings).toHaveLength(1_001)
  expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings', path: '' })
})
