import { ambiguous, fatal, keepingKey, type Failure } from '../failure'
import { judge } from '../retry'
import type { RunTx, StepRow, Tools } from '../ports'
import { retryOf } from '@/spec'

/**
 * Ends what a lost agent left under way, so that nothing stays `running` that nobody runs: a call that may be repeated is pending again, and of
 * one that may not nobody knows how it ended. Returns that, for it is then how the agent ends too.
 */
export async function windUp(tx: RunTx, agent: StepRow, tools: Tools): Promise<Failure | undefined> {
  const rows = await tx.conversation({ stepId: agent.stepId, item: agent.item, epoch: agent.keyEpoch })
  let unknown: Failure | undefined
  for (const row of rows) {
    if (row.status !== 'running') continue
    const reply = rows.find(({ call }) => call === row.call.split('.')[0])?.output as { calls: { tool: string }[] } | undefined
    const asked = reply?.calls[Number(row.call.split('.')[1]) - 1]
    const effect = tools.find(asked?.tool ?? '')?.effect ?? 'once'
    const lost = ambiguous('worker_lost', 'The worker was lost while this ran.')
    const at = { attempt: row.attempt, retry: retryOf({}), effect, stopping: true, startedAt: row.startedAt, now: tx.now, random: 0 }
    const verdict = judge(lost, at)
    const ref = { stepId: row.stepId, item: row.item, call: row.call, epoch: row.epoch }
    if (verdict.kind === 'failed') {
      unknown = keepingKey(fatal(verdict.error.code, verdict.error.message, true))
      await tx.endAttempt(ref, row.attempt, row.jobId ?? '', { kind: 'failed', error: verdict.error, ambiguous: true })
    } else await tx.endAttempt(ref, row.attempt, row.jobId ?? '', { kind: 'interrupted', ambiguous: true })
  }
  return unknown
}
