import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConsoleMessage, Page } from '@playwright/test'
import { expect, test } from './fixtures'
import type { Person } from './database'

test.describe.configure({ mode: 'parallel' })

const WIDTHS = [390, 1280]

/** Half the size of the module's own `source`: reading it is a good part of a look's cost. */
const AXE = fs.readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

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
  [null, ['/signin', '/setup?token=made-up', '/docs/spec', '/docs/made-up']],
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

test('the look at a page sees what it looks for', async ({ page }) => {
  await page.setContent('<html lang="en"><title>t</title><main><h1 style="color:#ccc;background:#fff">Pale</h1><img src="x"></main>')
  await page.evaluate(AXE)
  expect((await seriousFindings(page)).join()).toMatch(/color-contrast.*image-alt/)
  expect((await seriousFindings(page, ['color-contrast'])).join()).toMatch(/^color-contrast: h1$/)
})

// Two halves for two workers.
for (const half of [0, 1]) {
  test(`every page fits, reads well in light and dark, and complains about nothing: ${half + 1} of 2`, async ({
    browser,
    people,
    baseURL,
  }) => {
    test.setTimeout(300_000)
    for (const [person, paths] of pagesOf(made)) {
      const context = person === null ? await browser.newContext({ baseURL }) : await people.context(person)
      const page = await context.newPage()
      for (const path of paths.filter((_, i) => i % 2 === half)) await look(page, path, `${person ?? 'nobody'} at ${path}`)
      await context.close()
    }
  })
}

async function look(page: Page, path: string, who: string): Promise<void> {
  const complaints: string[] = []
  const hear = (message: ConsoleMessage) => {
    // A page that is not there is a 404, and the browser says so.
    if (message.type() === 'error' && !message.text().includes('status of 404')) complaints.push(message.text())
  }
  const fail = (error: Error) => complaints.push(error.message)
  page.on('console', hear).on('pageerror', fail)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 }), who).toBeAttached()
  await expect(page.getByText('Drawing the diagram…'), who).toHaveCount(0)
  await page.evaluate(AXE)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    const seen = await page.evaluate(() => ({
      content: document.documentElement.scrollWidth,
      screen: document.documentElement.clientWidth,
    }))
    expect.soft(seen.content, `${who}: no horizontal scroll at ${width} px`).toBeLessThanOrEqual(seen.screen)
    await page.emulateMedia({ colorScheme: 'light' })
    // Next streams the title behind the page.
    await expect(page).toHaveTitle(/./)
    expect.soft(await seriousFindings(page), `${who}, ${width} px, light`).toEqual([])
    // Only colours differ by scheme.
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await seriousFindings(page, ['color-contrast']), `${who}, ${width} px, dark`).toEqual([])
  }
  page.off('console', hear).off('pageerror', fail)
  expect.soft(complaints, who).toEqual([])
}

/** What axe finds serious or worse on the page, of all its rules or of these. The page has axe in it already: that is most of a look's cost. */
async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  return page.evaluate(async (only) => {
    // Colours on their way from one scheme to the other belong to neither.
    for (const animation of document.getAnimations()) {
      if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel()
      else animation.finish()
    }
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      // No rule that runs reads style sheets or media again.
      preload: false,
      ...(only ? { runOnly: { type: 'rule', values: only } } : {}),
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  }, rules)
}
