import type { Db } from '@/db/client'
import type { Access } from '../engine/ports'
import { admitToolCall } from '../store/postgres/policies'
import { audit } from './audit'
import { can } from './can'
import { loadPrincipal } from './principal'

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
    async mayStart({ principal: { userId, teamId }, from }) {
      const person = await loadPrincipal(db, userId, { kind: 'session', sessionId: '' })
      const team = person?.teams.find(({ id }) => id === teamId)
      const may = person !== null && team !== undefined && can(person, 'run.start', { team })
      const where = { orgId: team?.orgId ?? null, teamId }
      if (!may) await audit(db, userId, where, 'access.refused', { type: 'team', id: teamId }, { action: 'run.start' })
      else if (from) {
        const { id, slug, version } = from.child
        await audit(db, userId, where, 'run.started', { type: 'run', id }, { workflow: slug, version, parent: from.runId })
      }
      return may ? { ok: true } : { ok: false, message: 'The person who started this run may not start workflows in this team any more.' }
    },
  }
}
