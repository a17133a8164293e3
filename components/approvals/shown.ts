import { nameInWords } from '@/components/runs/data-list'
import type { ApprovalRow } from './types'

/** What an approval shows, on one line: "Amount 900 · Reason Chairs". */
export const shownText = (shown: ApprovalRow['shown']): string => shown.map(({ name, text }) => `${nameInWords(name)} ${text}`).join(' · ')
