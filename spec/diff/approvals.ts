import { type Json, member } from '../json'
import type { ApproveStep } from '../kinds/approve'
import { type Reference, referencesIn } from '../references'
import { approveSettings } from '../settings'

/** One way in which an approval lets through what it did not, or lets people decide who know less. */
export type Weakening =
  | { code: 'role_changed'; from: string; to: string }
  | { code: 'fewer_approvals'; from: number; to: number }
  | { code: 'self_approval' }
  | { code: 'no_sign_in' }
  | { code: 'more_channels'; channels: string[] }
  | { code: 'shows_less'; names: string[] }
  | { code: 'message_removed' }
  /** It told of something that people now neither read nor see. */
  | { code: 'message_tells_less' }
  /** Steps that needed it and now start without. */
  | { code: 'can_be_skipped'; steps: string[] }

const keyOf = (reference: Reference) => JSON.stringify(reference)

/**
 * How `to` is a weaker approval than `from`. Another time to answer, other reminders and another form are changes and no weaknesses: without an
 * answer nothing happens, however long that takes.
 */
export function weakened(from: ApproveStep, to: ApproveStep, free: string[]): Weakening[] {
  const [old, now] = [approveSettings(from), approveSettings(to)]
  const [shown, shows] = [from.show ?? {}, to.show ?? {}] as [Record<string, Json>, Record<string, Json>]
  const seen = new Set(referencesIn([shows, to.message ?? null]).map(keyOf))
  const unseen = Object.entries(shown).flatMap(([name, value]) => {
    // The same name over another value hides what it showed.
    const isKept = member(shows, name) !== undefined && referencesIn(value).every((reference) => seen.has(keyOf(reference)))
    return isKept ? [] : [name]
  })
  const untold = to.message !== undefined && !referencesIn(from.message ?? null).every((reference) => seen.has(keyOf(reference)))
  const channels = now.channels.filter((channel) => !old.channels.includes(channel))
  const all: (Weakening | false)[] = [
    from.role !== to.role && { code: 'role_changed', from: from.role, to: to.role },
    now.approvals < old.approvals && { code: 'fewer_approvals', from: old.approvals, to: now.approvals },
    now.selfApproval && !old.selfApproval && { code: 'self_approval' },
    old.requireSignIn && !now.requireSignIn && { code: 'no_sign_in' },
    channels.length > 0 && { code: 'more_channels', channels },
    unseen.length > 0 && { code: 'shows_less', names: unseen },
    from.message !== undefined && to.message === undefined && { code: 'message_removed' },
    untold && { code: 'message_tells_less' },
    free.length > 0 && { code: 'can_be_skipped', steps: free },
  ]
  return all.filter((weakening) => weakening !== false)
}
