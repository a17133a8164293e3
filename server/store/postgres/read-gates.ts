import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { Gate } from '@/server/engine/ports'
import type { Fields, Json } from '@/spec'
import type { TeamId } from '@/server/auth/ids'
import { gateOf, type RawGate } from './gates'
import { decodeCursor, encodeCursor } from './paging'
import { instant, instantOrNull, parseDoc } from './sql'

/** A gate with what surrounds it. `team.id` is not the gate's leave to read the team: ask `can` with it. */
export type GateDetail = Gate & {
  team: { id: string; slug: string; name: string }
  workflow: { slug: string; title: string; version: number }
  /** What the document says of what the gate shows: the fields of the input, and the entries as they are written there. */
  written: { input: Fields; show: Record<string, Json> }
  startedBy: { id: string; name: string }
  /** Who re-drove its run or recorded an outcome. */
  initiators: string[]
  settledAt: Date | null
}

export type DecisionDetail = {
  gateId: string
  by: { id: string; name: string }
  decision: 'approve' | 'reject'
  comment: string | null
  channel: 'web' | 'email' | 'mcp' | 'rest'
  at: Date
}

type Raw = RawGate & {
  team_id: string
  team_slug: string
  team_name: string
  slug: string
  spec_title: string
  def_version: number
  spec_input: string | null
  spec_show: string | null
  user_id: string
  user_name: string
  initiators: string[]
  settled_at: string | null
}

async function select(db: Db, where: SQL, order = sql`g.opened_at, g.id`): Promise<GateDetail[]> {
  const { rows } = await db.execute<Raw>(sql`
    SELECT g.*, t.slug AS team_slug, t.name AS team_name, d.slug, d.spec ->> 'title' AS spec_title, d.version AS def_version, u.id AS user_id, u.name AS user_name,
      r.initiators::text[] AS initiators, d.spec -> 'input' AS spec_input,
      (SELECT s -> 'show' FROM json_array_elements(d.spec -> 'steps') s WHERE s ->> 'id' = g.step_id LIMIT 1) AS spec_show
    FROM gates g JOIN teams t ON t.id = g.team_id JOIN workflow_runs r ON r.id = g.run_id JOIN workflow_defs d ON d.id = r.def_id JOIN users u ON u.id = r.user_id
    WHERE ${where} ORDER BY ${order}`)
  return rows.map(detail)
}

/** What waits for this person: open gates of every role they hold, in any team, the one that waits longest first. */
export function openGatesFor(db: Db, userId: string): Promise<GateDetail[]> {
  return select(
    db,
    sql`g.status = 'open' AND g.expires_at > now() AND EXISTS (SELECT 1 FROM role_grants h WHERE h.team_id = g.team_id AND h.user_id = ${userId} AND h.role = g.role)`,
  )
}

// When a gate closed: decided, or past its deadline although no worker has settled it yet.
const CLOSED_AT = sql.raw('coalesce(g.settled_at, g.expires_at)')
const CLOSED_AS = {
  decided: sql.raw(`g.status IN ('approved', 'rejected')`),
  expired: sql.raw(`(g.status = 'expired' OR (g.status = 'open' AND g.expires_at <= now()))`),
}

/** Closed gates of every role this person holds, the last one first. @throws {ClewError} `invalid` for a cursor that is none of ours */
export async function closedGatesFor(
  db: Db,
  userId: string,
  page: { as: keyof typeof CLOSED_AS; cursor?: string | undefined; limit: number },
): Promise<{ rows: GateDetail[]; next: string | null }> {
  const mine = sql`EXISTS (SELECT 1 FROM role_grants h WHERE h.team_id = g.team_id AND h.user_id = ${userId} AND h.role = g.role)`
  const after = page.cursor === undefined ? null : decodeCursor(page.cursor)
  const rest = after ? sql`AND (${CLOSED_AT}, g.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``
  const { rows } = await db.execute<{ id: string; at: string }>(sql`
    SELECT g.id, ${CLOSED_AT} AS at FROM gates g WHERE ${mine} AND ${CLOSED_AS[page.as]} ${rest} ORDER BY at DESC, g.id DESC LIMIT ${page.limit + 1}`)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    rows: await select(db, sql`g.id = ANY(${sql.param(shown.map(({ id }) => id))}::uuid[])`, sql`${CLOSED_AT} DESC, g.id DESC`),
    next: rows.length > page.limit && last ? encodeCursor(last) : null,
  }
}

/** How many of `openGatesFor` this person may decide: their own runs, what they answered already and what is decided elsewhere are not. */
export async function countOpenGatesFor(db: Db, userId: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM gates g JOIN role_grants h ON h.team_id = g.team_id AND h.role = g.role JOIN workflow_runs r ON r.id = g.run_id
    WHERE h.user_id = ${userId} AND g.status = 'open' AND g.expires_at > now() AND 'web' = ANY(g.channels)
      AND (g.self_approval OR (r.user_id <> ${userId} AND ${userId}::uuid <> ALL(r.initiators)))
      AND NOT EXISTS (SELECT 1 FROM gate_decisions x WHERE x.gate_id = g.id AND x.user_id = ${userId})`)
  return rows[0]?.count ?? 0
}

/** Null: there is no such gate. Whether this person may know of it is for `can` to say. */
export async function findGate(db: Db, gateId: string): Promise<GateDetail | null> {
  return (await select(db, sql`g.id = ${gateId}`))[0] ?? null
}

/** In the order they opened. */
export function gatesOfRun(db: Db, teamId: TeamId, runId: string): Promise<GateDetail[]> {
  return select(db, sql`g.run_id = ${runId} AND g.team_id = ${teamId}`)
}

/** The decisions on these gates, in the order of time. */
export async function decisionsOf(db: Db, gateIds: string[]): Promise<DecisionDetail[]> {
  type RawDecision = {
    gate_id: string
    user_id: string
    name: string
    decision: 'approve' | 'reject'
    comment: string | null
    channel: DecisionDetail['channel']
    at: string
  }
  const { rows } = await db.execute<RawDecision>(sql`
    SELECT x.gate_id, x.user_id, u.name, x.decision, x.comment, x.channel, x.at FROM gate_decisions x JOIN users u ON u.id = x.user_id
    WHERE x.gate_id = ANY(${sql.param(gateIds)}::uuid[]) ORDER BY x.at, x.user_id`)
  return rows.map((raw) => ({
    gateId: raw.gate_id,
    by: { id: raw.user_id, name: raw.name },
    decision: raw.decision,
    comment: raw.comment,
    channel: raw.channel,
    at: instant(raw.at),
  }))
}

/** Who holds these roles in the team now, by role: whom an open gate waits for. */
export async function roleHolders(db: Db, teamId: TeamId, roles: string[]): Promise<Map<string, { id: string; name: string }[]>> {
  const { rows } = await db.execute<{ role: string; id: string; name: string }>(sql`
    SELECT h.role, u.id, u.name FROM role_grants h JOIN users u ON u.id = h.user_id
    WHERE h.team_id = ${teamId} AND h.role = ANY(${sql.param(roles)}::text[]) AND u.disabled_at IS NULL ORDER BY u.name, u.id`)
  const holders = new Map<string, { id: string; name: string }[]>()
  for (const { role, id, name } of rows) holders.set(role, [...(holders.get(role) ?? []), { id, name }])
  return holders
}

const detail = (raw: Raw): GateDetail => ({
  ...gateOf(raw),
  team: { id: raw.team_id, slug: raw.team_slug, name: raw.team_name },
  workflow: { slug: raw.slug, title: raw.spec_title, version: raw.def_version },
  written: { input: parseDoc<Fields>(raw.spec_input) ?? {}, show: parseDoc<Record<string, Json>>(raw.spec_show) ?? {} },
  startedBy: { id: raw.user_id, name: raw.user_name },
  initiators: raw.initiators,
  settledAt: instantOrNull(raw.settled_at),
})
