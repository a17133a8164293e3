type Progress = {
  /** an approval of the example that this person may decide */
  approval: string | null
  /** the newest example waits for its approval */
  isWaiting: boolean
  /** somebody else is there who may decide it */
  othersDecide: boolean
  /** the newest finished example that this person sees */
  doneHref: string | null
}

/** Which of the four first steps comes next, from 0. A run that nobody else can approve leads nowhere, and does not count. */
export function nextStep({ approval, isWaiting, othersDecide, doneHref }: Progress): 0 | 1 | 2 | 3 {
  if (approval !== null) return 2
  if (isWaiting && othersDecide) return 1
  return doneHref === null ? 0 : 3
}
