import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { Json } from '@/spec'

export type ToolCallFacts = {
  teamId: string
  userId: string
  tool: string
  effect: string
  runId: string
  stepId: string
  item: number
  undo: boolean
}
export type Verdict = 'ok' | 'not_a_member' | 'switched_off'

/**
 * May this call go ahead, by live rights and the org gate, and one audit row that says so: one statement, because it stands
 * before every tool call. An undo counts with the rights that its run had at the start, so that a person who left does not leave
 * half an effect behind. Null: there is no such team.
 */
export async function admitToolCall(db: Db, call: ToolCallFacts): Promise<Verdict | null> {
  const details = { tool: call.tool, effect: call.effect, step: call.stepId, item: call.item, undo: call.undo }
  const result = await db.execute<{ verdict: Verdict }>(sql`
    with verdict as (
      select t.org_id, t.id as team_id, case
        when not ${call.undo}::boolean and not exists (
          select from memberships m join users u on u.id = m.user_id
          where m.team_id = t.id and m.user_id = ${call.userId}::uuid and u.disabled_at is null
        ) then 'not_a_member'
        when exists (select from tool_policies p where p.org_id = t.org_id and p.tool = ${call.tool} and not p.enabled) then 'switched_off'
        else 'ok' end as verdict
      from teams t where t.id = ${call.teamId}::uuid
    ), noted as (
      insert into audit_log (org_id, team_id, actor_id, action, object_type, object_id, details)
      select org_id, team_id, ${call.userId}::uuid, case verdict when 'ok' then 'tool.called' else 'tool.refused' end, 'run', ${call.runId},
        (${JSON.stringify(details)}::jsonb || jsonb_build_object('verdict', verdict))::json
      from verdict
    )
    select verdict from verdict`)
  return result.rows[0]?.verdict ?? null
}

/** What tools and jobs do to the world and what they say they return, by their `uses`. Those that no plugin brings are absent. */
export async function callables(db: Db, uses: string[]): Promise<Map<string, { effect: ToolOverview['effect']; outputSchema: Json }>> {
  const { rows } = await db.execute<{ uses: string; effect: ToolOverview['effect']; output_schema: string }>(sql`
    select uses, effect, output_schema from (
      select 'tool:' || name as uses, effect, output_schema from plugin_tools union all select 'job:' || kind, effect, output_schema from plugin_jobs
    ) known where uses = any(${sql.param(uses)}::text[])`)
  return new Map(rows.map((row) => [row.uses, { effect: row.effect, outputSchema: JSON.parse(row.output_schema) as Json }]))
}

/** The titles of these workflows of the team, as they are now, by slug. */
export async function workflowTitles(db: Db, teamId: string, slugs: string[]): Promise<Map<string, { title: string }>> {
  if (slugs.length === 0) return new Map()
  const { rows } = await db.execute<{ slug: string; title: string }>(sql`
    select distinct on (slug) slug, spec->>'title' as title from workflow_defs
    where team_id = ${teamId}::uuid and status = 'active' and slug = any(${sql.param(slugs)}::text[])
    order by slug, (source = 'db') desc, version desc`)
  return new Map(rows.map(({ slug, title }) => [slug, { title }]))
}

export type ToolOverview = { title: string; effect: 'read' | 'write' | 'once'; enabled: boolean }

/** What the loaded plugins say of these tools and jobs (`job:KIND`), and whether the org has them switched on. Those that no plugin brings are absent. */
export async function toolOverviews(db: Db, orgId: string, names: string[]): Promise<Map<string, ToolOverview>> {
  const { rows } = await db.execute<ToolOverview & { name: string }>(sql`
    select t.name, t.title, t.effect, coalesce(p.enabled, true) as enabled
    from (select name, title, effect from plugin_tools union all select 'job:' || kind, title, effect from plugin_jobs) t
    left join tool_policies p on p.org_id = ${orgId}::uuid and p.tool = t.name
    where t.name = any(${sql.param(names)}::text[])`)
  return new Map(rows.map(({ name, ...tool }) => [name, tool]))
}
