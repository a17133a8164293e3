import { idempotencyKey } from '../../engine/call'
import type { UnknownOutcome } from '../../store/postgres/read-steps'
import type { UnknownCall, UnknownShape } from '../views'

export const unknownShape = ({ stepId, item }: UnknownOutcome): UnknownShape => ({ stepId, item })

/** With the keys under which it went out, to be looked up on the other side: of an agent those of its calls, each conversation of which has its own. */
export const unknownCall = (runId: string, unknown: UnknownOutcome): UnknownCall => {
  const { stepId, item, epoch, keyEpoch, calls } = unknown
  const keys =
    calls.length > 0
      ? calls.map((call) => idempotencyKey(runId, { stepId, item, call, keyEpoch: epoch }))
      : [idempotencyKey(runId, { stepId, item, call: '', keyEpoch })]
  return { stepId, item, keys }
}
