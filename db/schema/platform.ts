import { bigserial, boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant, jsonText, jsonValue } from './columns'
import { orgs, users } from './people'

/** The org gate. No row: the tool is switched on. */
export const toolPolicies = pgTable(
  'tool_policies',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    tool: text('tool').notNull(),
    enabled: boolean('enabled').notNull(),
    changedBy: uuid('changed_by').references(() => users.id),
    changedAt: instant('changed_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.tool] })],
)

/** Append-only: triggers refuse update, delete and truncate. `details` holds ids, codes and counts, never free text. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    orgId: uuid('org_id'),
    teamId: uuid('team_id'),
    actorId: uuid('actor_id'),
    action: text('action').notNull(),
    objectType: text('object_type').notNull(),
    objectId: text('object_id').notNull(),
    details: jsonValue<Record<string, string | number | boolean | null>>()('details').notNull(),
    at: instant('at').notNull().defaultNow(),
  },
  (t) => [index('audit_log_org').on(t.orgId, t.id)],
)

export const PLUGIN_STATUSES = ['loaded', 'failed'] as const

/** What the workers found in `plugins/` when they last loaded it. The web process reads this and never runs plugin code. */
export const plugins = pgTable('plugins', {
  id: text('id').primaryKey(),
  title: text('title').notNull(),
  version: text('version').notNull(),
  description: text('description').notNull(),
  status: text('status', { enum: PLUGIN_STATUSES }).notNull(),
  error: text('error'),
  loadedAt: instant('loaded_at').notNull().defaultNow(),
})

export const EFFECTS = ['read', 'write', 'once'] as const

/** What tools and jobs have in common. */
const callable = {
  pluginId: text('plugin_id')
    .notNull()
    .references(() => plugins.id, { onDelete: 'cascade' }),
  title: text('title').notNull(),
  description: text('description').notNull(),
  effect: text('effect', { enum: EFFECTS }).notNull(),
  inputSchema: jsonValue()('input_schema').notNull(),
  outputSchema: jsonValue()('output_schema').notNull(),
}

export const pluginTools = pgTable('plugin_tools', { name: text('name').primaryKey(), ...callable })

export const pluginJobs = pgTable('plugin_jobs', { kind: text('kind').primaryKey(), ...callable })

export const pluginWorkflows = pgTable(
  'plugin_workflows',
  {
    pluginId: text('plugin_id')
      .notNull()
      .references(() => plugins.id, { onDelete: 'cascade' }),
    slug: text('slug').notNull(),
    spec: jsonText('spec').notNull(),
    hash: text('hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.pluginId, t.slug] })],
)
