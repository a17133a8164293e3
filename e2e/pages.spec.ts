import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import { expect, test } from './fixtures'
import type { Person } from './database'

test.describe.configure({ mode: 'parallel' })

const SCREENS: [string, BrowserContextOptions][] = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme): [string, BrowserContextOptions] => [
    `${width} px, ${colorScheme}`,
    { viewport: { width, height: 800 }, colorScheme },
  ]),
)

/** Words without a place to break them, markup, and more of both than fits anywhere. */
const NASTY = `${'Donaudampfschifffahrtsgesellschaft'.repeat(8)} <img src=x onerror=alert(1)> "quoted" \u202Eflipped 日本語`

type Made = { waiting: string; done: string; gate: string; decided: string }
let made: Made

test.beforeAll(async ({ people, database }) => {
  const [tom, mia] = await Promise.all([people.context('tom'), people.context('mia')])
  const waiting = await people.startExpense(tom, { amount: 950, reason: NASTY })
  const answered = await people.startExpense(tom, { amount: 951, reason: NASTY })
  const done = await people.startExpense(tom, { amount: 1, reason: NASTY })
  await expect.poll(() => database.statusOf(done)).toBe('succeeded')
  await expect.poll(() => database.gatesOf(answered)).toBe(1)
  await expect.poll(() => database.gatesOf(waiting)).toBe(1)
  const decided = await database.gateOf(answered)
  await people.call(mia, 'approvals.decide', { gate: decided, decision: 'reject', comment: NASTY })
  await expect.poll(() => database.statusOf(answered)).toBe('rejected')
  made = { waiting, done, gate: await database.gateOf(waiting), decided }
  await Promise.all([tom.close(), mia.close()])
})

/** Every page, by who looks at it. `null`: nobody is signed in. */
const pagesOf = ({ waiting, done, gate, decided }: Made): [Person | null, string[]][] => [
  [null, ['/signin', '/setup?token=made-up']],
  [
    'tom',
    [
      '/',
      '/t/finance/workflows',
      '/t/finance/workflows/expense-approval',
      '/t/finance/workflows/expense-approval/run',
      '/t/finance/runs',
      '/t/finance/runs?status=cancelled&workflow=none&mine=1',
      `/t/finance/runs/${waiting}`,
      `/t/finance/runs/${done}`,
      '/settings',
      '/made-up',
    ],
  ],
  ['mia', ['/', '/approvals', '/approvals?show=decided', `/approvals/g/${gate}`, `/approvals/g/${decided}`]],
  ['sam', ['/t/studio/runs', '/approvals', '/approvals?show=expired']],
  ['olga', ['/', '/t/finance/runs', `/t/finance/runs/${done}`]],
]

for (const [name, options] of SCREENS) {
  test(`every page fits, reads well and complains about nothing: ${name}`, async ({ browser, people, baseURL }) => {
    for (const [person, paths] of pagesOf(made)) {
      const context = person === null ? await browser.newContext({ baseURL, ...options }) : await people.context(person, options)
      for (const path of paths) await look(context, path, `${person ?? 'nobody'} at ${path}`)
      await context.close()
    }
  })
}

async function look(context: BrowserContext, path: string, who: string): Promise<void> {
  const page = await context.newPage()
  const complaints: string[] = []
  // A page that is not there is a 404, and the browser says so.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('status of 404')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(`a dialog: ${dialog.message()}`))
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 }), who).toBeAttached()
  await expect(page.getByText('Drawing the diagram…'), who).toHaveCount(0)
  const width = await page.evaluate(() => ({ content: document.documentElement.scrollWidth, screen: document.documentElement.clientWidth }))
  expect.soft(width.content, `${who}: no horizontal scroll`).toBeLessThanOrEqual(width.screen)
  expect.soft(await seriousFindings(page), who).toEqual([])
  expect.soft(complaints, who).toEqual([])
  await page.close()
}

async function seriousFindings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
}
