import type { APIRequestContext } from '@playwright/test'
import { expect, test, unique } from './fixtures'
import { ApprovalPage } from './pages/approval-page'
import { ExpenseFormPage } from './pages/run-form-page'
import { RunPage } from './pages/run-page'
import { RunsPage } from './pages/runs-page'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

/** What comes over the wire for a page, whole, with what names it: the status and every title in it. */
async function sentFor(request: APIRequestContext, path: string) {
  const answer = await request.get(path)
  const document = await answer.text()
  const titles = document.match(/[^">]* · Clew/g) ?? []
  return { document, name: { status: answer.status(), titles: [...new Set(titles)].sort() } }
}

test.describe('What belongs to Finance', () => {
  let runId: string
  let gateId: string
  const canary = unique('canary')
  const comment = unique('parrot')

  test.beforeAll(async ({ people, database }) => {
    const [tom, mia] = await Promise.all([people.context('tom'), people.context('mia')])
    const run = await (await new ExpenseFormPage(await tom.newPage()).open()).start(905, canary)
    await expect(run.summary()).toContainText('Waiting for')
    runId = run.id
    gateId = await database.gateOf(runId)
    const approval = await new ApprovalPage(await mia.newPage()).open(gateId)
    await approval.comment().fill(comment)
    await approval.approve().click()
    await expect(run.summary()).toContainText('Done in')
    await Promise.all([tom.close(), mia.close()])
  })

  for (const person of ['lena', 'sam'] as const) {
    test(`is for ${person} as if it were not there, on every page`, async ({ people }) => {
      const context = await people.context(person)
      const pairs = [
        ['/t/finance', '/t/nowhere'],
        ['/t/finance/workflows', '/t/nowhere/workflows'],
        ['/t/finance/workflows/expense-approval', '/t/nowhere/workflows/expense-approval'],
        ['/t/finance/workflows/expense-approval/run', '/t/nowhere/workflows/expense-approval/run'],
        ['/t/finance/runs', '/t/nowhere/runs'],
        [`/t/finance/runs?workflow=expense-approval`, '/t/nowhere/runs?workflow=expense-approval'],
        [`/t/finance/runs/${runId}`, `/t/nowhere/runs/${NOWHERE}`],
        [`/approvals/g/${gateId}`, `/approvals/g/${NOWHERE}`],
      ] as const
      for (const [there, nowhere] of pairs) {
        const { name, document } = await sentFor(context.request, there)
        expect(name, there).toEqual((await sentFor(context.request, nowhere)).name)
        expect(name, there).toEqual({ status: 404, titles: ['Not found · Clew'] })
        // Booleans, so that a failure does not print the whole document.
        expect(document.includes('There is no such thing here, or you may not see it.'), there).toBe(true)
        for (const secret of ['Expense approval', canary, comment]) expect(document.includes(secret), `${secret} at ${there}`).toBe(false)
      }
      const page = await context.newPage()
      await page.goto(`/t/finance/runs/${runId}`)
      await expect(page.getByText('There is no such thing here, or you may not see it.')).toBeVisible()
      await context.close()
    })

    test(`is for ${person} as if it were not there, in every call`, async ({ people }) => {
      const context = await people.context(person)
      const call = async (path: string, input: object) => {
        const answer = await context.request.get(`/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`)
        return { status: answer.status(), body: (await answer.text()).replaceAll(path, 'PATH') }
      }
      const own = person === 'lena' ? 'logistics' : 'studio'
      const pairs = [
        ['runs.get', { team: 'finance', id: runId }, { team: 'nowhere', id: NOWHERE }],
        ['runs.get', { team: own, id: runId }, { team: own, id: NOWHERE }],
        ['runs.list', { team: 'finance' }, { team: 'nowhere' }],
        ['workflows.list', { team: 'finance' }, { team: 'nowhere' }],
        ['workflows.get', { team: 'finance', slug: 'expense-approval' }, { team: 'nowhere', slug: 'expense-approval' }],
        ['approvals.get', { gate: gateId }, { gate: NOWHERE }],
      ] as const
      for (const [path, there, nowhere] of pairs) {
        const seen = await call(path, there)
        expect(seen.status, path).toBe(404)
        expect(seen, path).toEqual(await call(path, nowhere))
      }
      await context.close()
    })
  }

  test('shows the org admin the shape of a run and none of its data', async ({ people }) => {
    const context = await people.context('olga')
    const page = await context.newPage()
    const received: Promise<string>[] = []
    // Everything that comes over the wire, not only what is drawn.
    page.on('response', (response) => {
      if (/event-stream/.test(response.headers()['content-type'] ?? '')) return
      received.push(response.text().catch(() => ''))
    })
    const run = await new RunPage(page).open(runId)
    await expect(page.getByText('This team’s data is hidden from you.')).toBeVisible()
    await expect(run.step('Pay')).toContainText('Done')
    await expect(run.summary()).toContainText('Done in')
    await expect(run.diagram()).toBeVisible()
    await expect(run.result()).toHaveCount(0)
    const list = await new RunsPage(page).open()
    await expect(list.row('Expense approval').first()).toBeVisible()
    const texts = await Promise.all(received)
    expect(texts.length).toBeGreaterThan(1)
    for (const text of [...texts, await page.content()]) {
      expect(text).not.toContain(canary)
      expect(text).not.toContain(comment)
    }
    await context.close()
  })
})
