import type { Answers } from '@/components/shell/trpc'

export type Approval = Answers['approvals']['get']
export type ApprovalPage = Answers['approvals']['list']
export type ApprovalRow = ApprovalPage['rows'][number]

export const INBOX_TABS = ['waiting', 'decided', 'expired'] as const
export type InboxTab = (typeof INBOX_TABS)[number]
