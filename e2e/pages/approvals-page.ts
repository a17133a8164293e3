import type { Locator, Page } from '@playwright/test'
import { ApprovalPage } from './approval-page'

/** The inbox. */
export class ApprovalsPage {
  constructor(readonly page: Page) {}

  async open(tab?: 'decided' | 'expired'): Promise<this> {
    await this.page.goto(tab === undefined ? '/approvals' : `/approvals?show=${tab}`)
    return this
  }

  /** The row of a gate: rows of the same workflow read alike, their addresses do not. */
  readonly row = (gate: string): Locator => this.page.getByRole('list', { name: 'Approvals' }).locator(`a[href="/approvals/g/${gate}"]`)

  async choose(gate: string): Promise<ApprovalPage> {
    await this.row(gate).click()
    await this.page.waitForURL(`**/approvals/g/${gate}`)
    return new ApprovalPage(this.page)
  }
}
