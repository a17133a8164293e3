import { sql } from 'drizzle-orm'
import { bigint, check, date, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { teams } from './people'

/** What a team may use. No row: as much as it likes; null: no such limit. Its row is the lock under which the team's steps are counted. */
export const teamQuotas = pgTable(
  'team_quotas',
  {
    teamId: uuid('team_id')
      .primaryKey()
      .references(() => teams.id),
    stepsPerDay: integer('steps_per_day'),
    concurrentSteps: integer('concurrent_steps'),
  },
  (t) => [check('team_quotas_limits', sql`${t.stepsPerDay} >= 0 AND ${t.concurrentSteps} >= 0`)],
)

/** Steps that a team with a quota has started on a UTC day. */
export const teamUsage = pgTable(
  'team_usage',
  {
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    day: date('day').notNull(),
    steps: integer('steps').notNull(),
  },
  (t) => [primaryKey({ columns: [t.teamId, t.day] })],
)

/**
 * Whom a quota has let in, puts off, or has called. The step's row is the truth: one of these counts only while that row names its job and is `running` (else
 * `queued`), so whatever ends a step need not come here.
 */
export const quotaPlaces = pgTable(
  'quota_places',
  {
    jobId: uuid('job_id').primaryKey(),
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    runId: uuid('run_id').notNull(),
    stepId: text('step_id').notNull(),
    item: integer('item').notNull(),
    epoch: integer('epoch').notNull(),
    standing: text('standing', { enum: ['running', 'waiting', 'called'] }).notNull(),
    reason: text('reason', { enum: ['steps_per_day', 'concurrent_steps'] }),
    /** Counted up in the order in which they were first put off: who waits longest is called first. */
    turn: bigint('turn', { mode: 'number' }).generatedByDefaultAsIdentity().notNull(),
  },
  (t) => [index('quota_places_team').on(t.teamId, t.standing, t.turn)],
)
