import type { Locator, Page } from '@playwright/test'

/** The page of one approval. */
export class ApprovalPage {
  constructor(readonly page: Page) {}

  async open(gate: string): Promise<this> {
    await this.page.goto(`/approvals/g/${gate}`)
    return this
  }

  readonly asked = (): Locator => this.page.getByRole('region', { name: 'What is asked' })
  readonly comment = (): Locator => this.page.getByLabel('Comment')
  readonly approve = (): Locator => this.page.getByRole('button', { name: 'Approve', exact: true })
  readonly reject = (): Locator => this.page.getByRole('button', { name: 'Reject', exact: true })
  /** What became of my answer. */
  readonly outcome = (): Locator => this.page.getByRole('status').filter({ hasText: /You (approved|rejected) this/ })
}
