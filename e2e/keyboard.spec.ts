import type { Locator, Page } from '@playwright/test'
import { expect, test, unique } from './fixtures'
import { ApprovalPage } from './pages/approval-page'
import { ApprovalsPage } from './pages/approvals-page'
import { ExpenseFormPage } from './pages/run-form-page'
import { RunPage } from './pages/run-page'

/** Presses Tab until something has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${target.toString()} cannot be reached with the Tab key`)
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

test('signing in, starting, watching and approving work with the keyboard alone', async ({ browser, database, baseURL }) => {
  const reason = unique('By keyboard')
  const tom = await browser.newContext({ baseURL })
  const page = await tom.newPage()
  await page.goto('/t/finance/workflows')
  await press(page, page.getByRole('button', { name: /Continue as Tom/ }))
  await press(page, page.getByRole('link', { name: 'Run Expense approval' }))
  const form = new ExpenseFormPage(page)
  await tabTo(page, form.amount())
  await page.keyboard.type('906')
  await tabTo(page, form.reason())
  await page.keyboard.type(reason)
  await press(page, form.startButton())
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
  const run = new RunPage(page)
  await expect(run.summary()).toContainText('Waiting for Mia Manager')
  await press(page, run.step('Pay').locator('summary'))
  await expect(run.step('Pay')).toContainText('It has not been reached.')

  const mia = await browser.newContext({ baseURL })
  const inbox = await mia.newPage()
  await inbox.goto('/approvals')
  await press(inbox, inbox.getByRole('button', { name: /Continue as Mia/ }))
  await press(inbox, new ApprovalsPage(inbox).row(await database.gateOf(run.id)))
  const approval = new ApprovalPage(inbox)
  await tabTo(inbox, approval.comment())
  await inbox.keyboard.type('Fine')
  await press(inbox, approval.approve())
  await expect(approval.outcome()).toContainText('You approved this.')

  // The step that was unfolded is still unfolded after everything that happened.
  await expect(run.summary()).toContainText('Done in')
  await expect(run.step('Pay')).toContainText('entry_id')
  expect(await database.postedBy(run.id)).toEqual([{ amount: 906, memo: reason }])
  await Promise.all([tom.close(), mia.close()])
})
