import { expect, test, unique } from './fixtures'
import { RunPage } from './pages/run-page'
import { RunsPage } from './pages/runs-page'

test('a run that somebody else starts appears in the list by itself, and moves on there', async ({ people }) => {
  const reason = unique('Appears')
  const [frida, tom] = await Promise.all([people.context('frida'), people.context('tom')])
  const list = await new RunsPage(await frida.newPage()).open()
  await expect(list.page.getByRole('heading', { name: 'Runs' })).toBeVisible()
  await people.startExpense(tom, { amount: 2, reason })
  await expect(list.row(reason)).toContainText('Done')
  await expect(list.row(reason)).toContainText('Tom Member')
  await Promise.all([frida.close(), tom.close()])
})

test('filters stand in the address and survive a reload', async ({ people }) => {
  const reason = unique('Filtered')
  const tom = await people.context('tom')
  await people.startExpense(tom, { amount: 3, reason })
  const list = await new RunsPage(await tom.newPage()).open()
  await expect(list.row(reason)).toContainText('Done')
  await list.filter('Status').selectOption('Cancelled')
  await expect(list.page).toHaveURL(/status=cancelled/)
  await expect(list.row(reason)).toHaveCount(0)
  await list.page.reload()
  await expect(list.filter('Status')).toHaveValue('cancelled')
  await list.page.getByRole('button', { name: 'Show all' }).click()
  await expect(list.row(reason)).toBeVisible()
  await tom.close()
})

test('older runs come page by page, none twice', async ({ people }) => {
  const tom = await people.context('tom')
  await Promise.all(Array.from({ length: 60 }, (_, i) => people.startExpense(tom, { amount: 4, reason: `Many ${i}` })))
  const list = await new RunsPage(await tom.newPage()).open('finance', '?mine=1')
  const hrefs = () =>
    list.page
      .getByRole('table', { name: 'Runs' })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  const before = (await hrefs()).length
  await list.more().click()
  await expect.poll(async () => (await hrefs()).length).toBeGreaterThan(before)
  const all = await hrefs()
  expect(new Set(all).size).toBe(all.length)
  await tom.close()
})

test('a lost connection is said, and mended without a reload', async ({ people }) => {
  const tom = await people.context('tom')
  const id = await people.startExpense(tom, { amount: 907, reason: unique('Tunnel') })
  const run = await new RunPage(await tom.newPage()).open(id)
  await expect(run.summary()).toContainText('Waiting for Mia Manager')
  await run.mark()
  await tom.setOffline(true)
  await expect(run.summary()).toContainText('Reconnecting')
  await tom.setOffline(false)
  await expect(run.summary()).not.toContainText('Reconnecting')
  expect(await run.isMarked()).toBe(true)
  await tom.close()
})
