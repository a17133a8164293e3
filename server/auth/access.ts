import type { Db } from '@/db/client'
import type { Access } from '../engine/ports'
import { admitToolCall } from '../store/postgres/policies'

/** The chain before every tool call: is the starter still a member of the team ▸ is the tool switched on in the org ▸ audit. */
export function createAccess(db: Db): Access {
  return {
    async admit({ principal, ...call }) {
      const verdict = await admitToolCall(db, { ...call, teamId: principal.teamId, userId: principal.userId })
      if (verdict === 'ok') return { ok: true }
      return {
        ok: false,
        code: 'denied',
        message:
          verdict === 'switched_off'
            ? `The tool '${call.tool}' is switched off in this organisation.`
            : 'The person who started this run is no longer a member of the team.',
      }
    },
  }
}
