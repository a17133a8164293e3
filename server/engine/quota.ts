import { later } from './time'

/** What a team may use; null: as much as it likes. */
export type Quota = { stepsPerDay: number | null; concurrentSteps: number | null }
export type DeferralReason = 'steps_per_day' | 'concurrent_steps'
/** Until when a step is put off, and by which limit. */
export type Deferral = { until: Date; reason: DeferralReason }

/** A step whose start was put off once already: it waits, or it was called and a place is kept for it. */
export type Standing = 'waiting' | 'called'

/** How much of its quota a team has used. */
export type QuotaUse = {
  now: Date
  /** The end of this UTC day. */
  midnight: Date
  /** Steps that were started on this UTC day. */
  today: number
  /** Places taken: steps that run, and those that were called. */
  taken: number
  /** Steps that wait for a place. */
  waiting: number
}

/** Who waits for a place is called when one is free; should nobody call, it looks by itself after so long. */
const LOOK_AGAIN_MS = 30_000

/**
 * Which of these steps may start now, in their order, and until when the others are put off. A step counts for its day when it first starts:
 * trying it again is part of it. Whoever comes new does not overtake those who wait for a place. Counts on in `use`.
 */
export function admitted(
  quota: Quota,
  use: QuotaUse,
  steps: readonly { first: boolean; standing: Standing | null }[],
): (Deferral | null)[] {
  return steps.map((step) => {
    if (step.standing === 'called') use.taken--
    if (step.standing === 'waiting') use.waiting--
    if (step.first && quota.stepsPerDay !== null && use.today >= quota.stepsPerDay) return { until: use.midnight, reason: 'steps_per_day' }
    const before = use.taken + (step.standing === null ? use.waiting : 0)
    if (quota.concurrentSteps !== null && before >= quota.concurrentSteps) {
      use.waiting++
      return { until: later(use.now, LOOK_AGAIN_MS), reason: 'concurrent_steps' }
    }
    use.taken++
    if (step.first) use.today++
    return null
  })
}

/** How many of those who wait can be called now. */
export const freePlaces = ({ concurrentSteps }: Quota, { taken }: QuotaUse): number =>
  concurrentSteps === null ? Number.POSITIVE_INFINITY : Math.max(0, concurrentSteps - taken)
