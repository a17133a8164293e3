import { TRPCError } from '@trpc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ClewError, ERROR_CODES } from '../errors'
import { describeError, problemResponse, toTrpcError } from './errors'

describe('what a client learns of an error', () => {
  it.each(ERROR_CODES)('%s: its code and message, alike on every transport', async (code) => {
    const problems = [{ code: 'x', path: '/a', message: 'no' }]
    const refusal = new ClewError(code, 'Because.', { problems, retryAfterSeconds: 7 })
    expect(describeError(toTrpcError(refusal))).toEqual({ message: 'Because.', clew: { code, problems, retryAfterSeconds: 7 } })
    const response = problemResponse(refusal)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.json()).toMatchObject({ status: response.status, code, detail: 'Because.', problems })
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(code === 'unavailable' ? 504 : 500)
  })

  it.each([
    new Error('password=hunter2'),
    new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: new Error('password=hunter2') }),
    'password=hunter2',
  ])('a surprise says nothing but that it happened', async (surprise) => {
    expect(JSON.stringify(describeError(surprise))).not.toContain('hunter2')
    const response = problemResponse(surprise)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('hunter2')
  })

  it('a malformed request is told where', () => {
    const { error } = z.object({ 'a/b': z.array(z.string()) }).safeParse({ 'a/b': ['x', 1] })
    expect(describeError(new TRPCError({ code: 'BAD_REQUEST', cause: error }))).toMatchObject({
      clew: { code: 'invalid', problems: [{ path: '/a~1b/1', message: expect.any(String) }] },
    })
  })
})
