import type { ApprovalRow, InboxTab } from './types'

/** The rows of a tab: those that belong to it, and those of "Waiting for me" that wait, but that this person may not decide. */
export function groupsOf<R extends Pick<ApprovalRow, 'cannotDecide'>>(tab: InboxTab, rows: readonly R[]): { here: R[]; elsewhere: R[] } {
  const isElsewhere = ({ cannotDecide }: R) => tab === 'waiting' && cannotDecide !== null
  return { here: rows.filter((row) => !isElsewhere(row)), elsewhere: rows.filter(isElsewhere) }
}

type Words = { title: string; hint: string }

/** What an empty tab says, for somebody with these roles: it lists approvals of one's own roles only, whoever answered them. */
export function emptyWords(tab: InboxTab, roles: readonly string[]): Words {
  if (tab === 'waiting') return { title: 'Nothing waits for you', hint: 'When a run needs your approval, it appears here by itself.' }
  const title = tab === 'decided' ? 'Nothing decided that you could have decided' : 'Nothing expired that you could have decided'
  if (roles.length === 0)
    return {
      title,
      hint: 'You have no role that decides approvals. Those of your team’s runs, and who decided them, are on the runs’ pages.',
    }
  const answered = tab === 'decided' ? 'that were answered' : 'that nobody answered in time'
  return {
    title,
    hint: `Approvals ${answered} are kept here where they ask for a role of yours: ${roles.map((role) => `“${role}”`).join(', ')}.`,
  }
}
