import type { Locator, Page } from '@playwright/test'

/** A team's list of runs. */
export class RunsPage {
  constructor(readonly page: Page) {}

  async open(team = 'finance', query = ''): Promise<this> {
    await this.page.goto(`/t/${team}/runs${query}`)
    return this
  }

  readonly row = (text: string): Locator => this.page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: text })
  readonly filter = (name: 'Status' | 'Workflow'): Locator =>
    this.page.getByRole('search', { name: 'Filter runs' }).getByRole('combobox', { name })
  readonly more = (): Locator => this.page.getByRole('button', { name: 'Load more' })
}
