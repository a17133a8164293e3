import type { Locator, Page } from '@playwright/test'

/** One run's page, on which the browser stands already, or to which it goes. */
export class RunPage {
  constructor(readonly page: Page) {}

  async open(id: string, team = 'finance'): Promise<this> {
    await this.page.goto(`/t/${team}/runs/${id}`)
    return this
  }

  get id(): string {
    return new URL(this.page.url()).pathname.split('/').at(-1) ?? ''
  }

  /** The card that says in a sentence what is going on. */
  readonly summary = (): Locator => this.page.getByRole('region', { name: 'What is going on' })
  readonly result = (): Locator => this.page.getByRole('region', { name: 'Result' })
  readonly approvals = (): Locator => this.page.getByRole('region', { name: 'Approvals' })
  readonly step = (title: string): Locator =>
    this.page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: title })
  readonly diagram = (): Locator => this.page.getByRole('region', { name: 'Drawing of the workflow' }).locator('svg')

  /** Leaves a mark that a reload would wipe out. */
  async mark(): Promise<void> {
    await this.page.evaluate(() => document.documentElement.setAttribute('data-mark', 'here'))
  }

  /** Whether the page is still the one that was marked. */
  async isMarked(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.getAttribute('data-mark') === 'here')
  }
}
