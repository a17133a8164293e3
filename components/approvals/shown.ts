import { nameInWords } from '@/components/runs/data-list'
import type { ApprovalRow } from './types'

/** What an approval shows, on one line: "Amount (EUR) 900 · What for Chairs". */
export const shownText = (shown: ApprovalRow['shown']): string =>
  shown.map(({ name, title, text }) => `${title ?? nameInWords(name)} ${text}`).join(' · ')
