import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm'
import { createdAt, id, instant } from './columns'

export const orgs = pgTable('orgs', {
  id: id(),
  slug: text('slug').notNull().unique(),
  name: text('name').notNull(),
  createdAt: createdAt(),
})

/** A team's slug stands in every address (`/t/finance/…`), so it is unique across the installation. */
export const teams = pgTable(
  'teams',
  {
    id: id(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    slug: text('slug').notNull().unique(),
    name: text('name').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('teams_org').on(t.orgId)],
)

export const users = pgTable(
  'users',
  {
    id: id(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    locale: text('locale').notNull().default('en'),
    timeZone: text('time_zone').notNull().default('UTC'),
    /** `scrypt$N$r$p$salt$hash`; null: this person cannot sign in with a password. */
    passwordHash: text('password_hash'),
    isDemo: boolean('is_demo').notNull().default(false),
    disabledAt: instant('disabled_at'),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('users_email').on(sql`lower(${t.email})`)],
)

/** Org admins. Being one gives no membership of any team. */
export const orgAdmins = pgTable(
  'org_admins',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.userId] }), index('org_admins_user').on(t.userId)],
)

export const LEVELS = ['member', 'editor', 'owner'] as const
export type Level = (typeof LEVELS)[number]

export const memberships = pgTable(
  'memberships',
  {
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    level: text('level', { enum: LEVELS }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.teamId, t.userId] }), index('memberships_user').on(t.userId)],
)

/** Free role names per team (`manager`, `attorney`): who may decide which gates. A holder need not be a member. */
export const roleGrants = pgTable(
  'role_grants',
  {
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    role: text('role').notNull(),
    grantedBy: uuid('granted_by').references(() => users.id),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.teamId, t.userId, t.role] }), index('role_grants_user').on(t.userId)],
)

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    revokedAt: instant('revoked_at'),
  },
  (t) => [index('sessions_user').on(t.userId)],
)

/** Counters of a sliding minute, e.g. `sign-in:<email>`; old windows are deleted by whoever counts next. */
export const rateLimits = pgTable(
  'rate_limits',
  { key: text('key').notNull(), windowStart: instant('window_start').notNull(), count: integer('count').notNull() },
  (t) => [primaryKey({ columns: [t.key, t.windowStart] })],
)

/** The key itself is shown once and never stored: `hash` is SHA-256 of it, `prefix` tells people which one it is. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: id(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    name: text('name').notNull(),
    prefix: text('prefix').notNull(),
    hash: text('hash').notNull().unique(),
    scopes: text('scopes').array().notNull(),
    createdAt: createdAt(),
    expiresAt: instant('expires_at').notNull(),
    lastUsedAt: instant('last_used_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [index('api_keys_user').on(t.userId)],
)

/** A one-time link for the first person on an empty external database. Only its hash is stored. */
export const setupTokens = pgTable('setup_tokens', { hash: text('hash').primaryKey(), createdAt: createdAt(), usedAt: instant('used_at') })
