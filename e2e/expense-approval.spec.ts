import { expect, test, unique } from './fixtures'
import { ApprovalsPage } from './pages/approvals-page'
import { ExpenseFormPage } from './pages/run-form-page'

test.describe('Expense approval', () => {
  test('900: the page shows the open approval by itself, the manager approves, the money is posted', async ({ people, database }) => {
    const reason = unique('Chairs')
    const [tom, mia] = await Promise.all([people.context('tom'), people.context('mia')])
    const form = await new ExpenseFormPage(await tom.newPage()).open()
    const run = await form.start(900, reason)
    await run.mark()
    // Within a second of the run's page being there, and without a reload.
    await expect(run.summary()).toContainText("Waiting for Mia Manager to approve “Manager's approval”", { timeout: 1000 })
    expect(await run.isMarked()).toBe(true)
    expect(await database.postedBy(run.id)).toEqual([])

    const inbox = await new ApprovalsPage(await mia.newPage()).open()
    const approval = await inbox.choose(await database.gateOf(run.id))
    await expect(approval.asked()).toContainText('900')
    await expect(approval.asked()).toContainText(reason)
    await approval.comment().fill('Fine, they break every week')
    await approval.approve().click()
    await expect(approval.outcome()).toContainText('You approved this.')

    await expect(run.summary()).toContainText('Done in', { timeout: 5000 })
    await expect(run.approvals()).toContainText('Fine, they break every week')
    await expect(run.step('Pay')).toContainText('Done')
    await expect(run.result()).toBeVisible()
    expect(await run.isMarked()).toBe(true)
    expect(await database.statusOf(run.id)).toBe('succeeded')
    expect(await database.postedBy(run.id)).toEqual([{ amount: 900, memo: reason }])
    await Promise.all([tom.close(), mia.close()])
  })

  test('100: nobody is asked', async ({ people, database }) => {
    const reason = unique('Pens')
    const tom = await people.context('tom')
    const run = await (await new ExpenseFormPage(await tom.newPage()).open()).start(100, reason)
    await expect(run.summary()).toContainText('Done in')
    await expect(run.step('approval')).toContainText('Not needed')
    expect(await database.gatesOf(run.id)).toBe(0)
    expect(await database.postedBy(run.id)).toEqual([{ amount: 100, memo: reason }])
    await tom.close()
  })

  test('rejected: the run ends rejected and nothing is posted', async ({ people, database }) => {
    const [tom, mia] = await Promise.all([people.context('tom'), people.context('mia')])
    const run = await (await new ExpenseFormPage(await tom.newPage()).open()).start(901, unique('Yacht'))
    await expect(run.summary()).toContainText('Waiting for Mia Manager')
    await expect(run.diagram()).toBeVisible()
    const approval = await (await new ApprovalsPage(await mia.newPage()).open()).choose(await database.gateOf(run.id))
    await approval.reject().click()
    await expect(approval.outcome()).toContainText('You rejected this.')
    await expect(run.summary()).toContainText('Rejected: Mia Manager turned down')
    // Drawn again as it ended, and there to stay.
    await expect(run.diagram()).toContainText('Rejected')
    await expect(run.diagram()).toBeVisible()
    expect(await database.statusOf(run.id)).toBe('rejected')
    expect(await database.postedBy(run.id)).toEqual([])
    await Promise.all([tom.close(), mia.close()])
  })

  test('whoever started it cannot approve it, and is told so', async ({ people, database }) => {
    const mia = await people.context('mia')
    const run = await (await new ExpenseFormPage(await mia.newPage()).open()).start(902, unique('My own chair'))
    await expect(run.summary()).toContainText('Waiting for')
    const page = await mia.newPage()
    await page.goto(`/approvals/g/${await database.gateOf(run.id)}`)
    await expect(page.getByText('You cannot decide this')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0)
    await mia.close()
  })

  test('a run can be cancelled while it waits, after asking', async ({ people, database }) => {
    const tom = await people.context('tom')
    const run = await (await new ExpenseFormPage(await tom.newPage()).open()).start(903, unique('Changed my mind'))
    await expect(run.summary()).toContainText('Waiting for')
    await run.page.getByRole('button', { name: 'Cancel run' }).click()
    const dialog = run.page.getByRole('dialog', { name: 'Cancel this run?' })
    await dialog.getByRole('button', { name: 'Cancel run' }).click()
    await expect(run.summary()).toContainText('Cancelled')
    await expect(run.approvals()).toContainText('No longer needed')
    expect(await database.statusOf(run.id)).toBe('cancelled')
    expect(await database.postedBy(run.id)).toEqual([])
    await tom.close()
  })
})
