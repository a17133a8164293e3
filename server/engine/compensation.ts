import type { Draft } from './draft'
import type { EngineEvent } from './model'

/** The next success to undo, from the latest backwards, one at a time across all branches; null ends the pass. */
export function undoChosen(draft: Draft, event: Extract<EngineEvent, { type: 'undo_chosen' }>): void {
  if (draft.state.compensating) throw new Error('an undo is under way already')
  if (!event.undo) return
  draft.state.compensating = event.undo
  draft.emit({ type: 'enqueue', ref: { ...event.undo, call: 'undo' } })
}

/** An undo that failed is recorded on its row, and the next one goes on. */
export function compensationEnded(draft: Draft, event: Extract<EngineEvent, { type: 'compensation_ended' }>): void {
  const { stepId, item, epoch } = event
  const current = draft.state.compensating
  if (!current || current.stepId !== stepId || current.item !== item || current.epoch !== epoch) {
    throw new Error(`'${stepId}' is not what is being undone`)
  }
  delete draft.state.compensating
  if (event.succeeded) {
    const cursor = draft.cursor(stepId)
    // A success that was repeated is undone too, but the step stands by its repeat.
    if (item < 0 && cursor.at === 'settled' && cursor.epoch === epoch) draft.move(stepId, { ...cursor, at: 'compensated' })
    if (item >= 0) draft.state.undoneMaps = [...new Set([...(draft.state.undoneMaps ?? []), stepId])]
    draft.emit({ type: 'mark_compensated', stepId, item, epoch })
  }
  draft.emit({ type: 'choose_undo' })
}
