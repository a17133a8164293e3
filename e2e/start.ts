import type { APIRequestContext } from '@playwright/test'

/** Starts *Expense approval* without its form, for tests that are about what comes after. Resolves to the run's id. */
export async function startExpense(request: APIRequestContext, url: string, input: { amount: number; reason: string }): Promise<string> {
  const answer = await request.post('/api/trpc/runs.start', {
    headers: { origin: url },
    data: { json: { team: 'finance', slug: 'expense-approval', input } },
  })
  const body = (await answer.json()) as { result?: { data: { json: { id: string } } } }
  if (body.result === undefined) throw new Error(`the run did not start: ${JSON.stringify(body)}`)
  return body.result.data.json.id
}
