import type { Page } from '@playwright/test'
import { RunPage } from './run-page'

/** The form that starts *Expense approval*. */
export class ExpenseFormPage {
  constructor(readonly page: Page) {}

  readonly amount = () => this.page.getByLabel('Amount (EUR)')
  readonly reason = () => this.page.getByLabel('What for')
  readonly startButton = () => this.page.getByRole('button', { name: 'Start', exact: true })

  async open(team = 'finance'): Promise<this> {
    await this.page.goto(`/t/${team}/workflows/expense-approval/run`)
    return this
  }

  /** Fills it in and starts; resolves when the run's page has come. */
  async start(amount: number, reason: string): Promise<RunPage> {
    await this.amount().fill(String(amount))
    await this.reason().fill(reason)
    await this.startButton().click()
    await this.page.waitForURL(/\/runs\/[0-9a-f-]{36}$/)
    return new RunPage(this.page)
  }
}
