import type pg from 'pg'
import { PluginProblem, type PluginTables, schemaOf } from './model'

/**
 * Whom the tables of all plugins belong to where the application's own role could see past row-level security (a superuser, or
 * BYPASSRLS). Nobody can sign in as it.
 */
const PLUGIN_ROLE = 'clew_plugins'

type Client = Pick<pg.ClientBase, 'query' | 'escapeIdentifier'>

/**
 * Finds or makes the schema of a plugin, owned by a role that row-level security binds. Within a transaction.
 * @throws {PluginProblem} no such role can be used
 */
export async function openSchema(client: Client, pluginId: string): Promise<PluginTables> {
  const schema = schemaOf(pluginId)
  const { rows } = await client.query<{ me: string; me_free: boolean; owner: string | null; owner_free: boolean | null }>(
    `SELECT me.rolname AS me, me.rolsuper OR me.rolbypassrls AS me_free, owner.rolname AS owner, owner.rolsuper OR owner.rolbypassrls AS owner_free
     FROM pg_roles me LEFT JOIN (pg_namespace n JOIN pg_roles owner ON owner.oid = n.nspowner) ON n.nspname = $1
     WHERE me.rolname = current_user`,
    [schema],
  )
  const state = rows[0]
  if (!state) throw new PluginProblem('the database does not know the role it is used as')
  if (state.owner !== null && state.owner_free)
    throw new PluginProblem(`the database schema ${schema} belongs to ${state.owner}, whom row-level security does not bind`)
  if (state.owner !== null) return { schema, role: state.owner }
  if (state.me_free) await ensurePluginRole(client, state.me)
  const owner = state.me_free ? PLUGIN_ROLE : state.me
  await client.query(`CREATE SCHEMA ${client.escapeIdentifier(schema)} AUTHORIZATION ${client.escapeIdentifier(owner)}`)
  return { schema, role: owner }
}

/** Roles belong to the server, not to one database, so that another database may be making it at this moment. */
async function ensurePluginRole(client: Client, me: string): Promise<void> {
  const create = `DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${PLUGIN_ROLE}') THEN
      CREATE ROLE ${PLUGIN_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$`
  await client.query(create).catch((cause: Error) => {
    const advice = `let Clew use an ordinary role, or create the role ${PLUGIN_ROLE} and grant it to ${me}`
    throw new PluginProblem(
      `row-level security does not bind the database role ${me}, and it could not make one for plugins (${cause.message}): ${advice}`,
      { cause },
    )
  })
  const { rows } = await client.query<{ ready: boolean }>('SELECT pg_has_role(current_user, $1, $2) AS ready', [PLUGIN_ROLE, 'USAGE'])
  if (!rows[0]?.ready) await client.query(`GRANT ${PLUGIN_ROLE} TO ${client.escapeIdentifier(me)}`)
}

/** For the rest of the transaction: this team, this plugin's schema and nothing else, as its owner. One statement. */
export async function enter(client: Client, tables: PluginTables, teamId: string): Promise<void> {
  // pg_temp named last: else a temporary table would stand before the real one of its name.
  const path = `${client.escapeIdentifier(tables.schema)}, pg_temp`
  await client.query(`SELECT set_config('clew.team_id', $1, true), set_config('search_path', $2, true), set_config('role', $3, true)`, [
    teamId,
    path,
    tables.role,
  ])
}

type Relation = { name: string; kind: string; team: boolean; secured: boolean; foreign_policies: string[] | null }

const RELATIONS = `
  SELECT c.relname AS name, c.relkind AS kind,
    EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'team_id' AND a.atttypid = 'uuid'::regtype AND a.attnotnull AND NOT a.attisdropped) AS team,
    c.relrowsecurity AND c.relforcerowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'clew_team') AS secured,
    (SELECT array_agg(p.polname::text) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname <> 'clew_team') AS foreign_policies
  FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f') ORDER BY c.relname`

/**
 * Puts every table of the plugin under forced row-level security: rows of other teams neither seen nor written. Within the transaction that
 * applied its migrations, as the tables' owner; `again` renews what is there, because a migration may have changed it.
 * @throws {PluginProblem} a table without a team, or one that cannot be secured
 */
export async function secureTables(client: Client, { schema }: PluginTables, again: boolean): Promise<void> {
  const { rows } = await client.query<Relation>(RELATIONS, [client.escapeIdentifier(schema)])
  const problems = rows.flatMap((relation) => problemsOf(relation))
  if (problems.length > 0) throw new PluginProblem(problems.join('\n'))
  for (const { name, secured } of rows) {
    if (secured && !again) continue
    const table = `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`
    // TRUNCATE knows no rows, so that row-level security does not bind it.
    await client.query(`
      ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
      DROP POLICY IF EXISTS clew_team ON ${table};
      CREATE POLICY clew_team ON ${table}
        USING (team_id = current_setting('clew.team_id')::uuid) WITH CHECK (team_id = current_setting('clew.team_id')::uuid);
      REVOKE TRUNCATE ON ${table} FROM CURRENT_USER, PUBLIC`)
  }
}

function problemsOf({ name, kind, team, foreign_policies }: Relation): string[] {
  if (kind === 'm' || kind === 'f')
    return [`migrations: ${name} is a ${kind === 'm' ? 'materialized view' : 'foreign table'}, which cannot be kept apart by team`]
  const problems: string[] = []
  if (!team) problems.push(`migrations: the table ${name} needs a column "team_id uuid NOT NULL"`)
  if (foreign_policies)
    problems.push(
      `migrations: the table ${name} has policies of its own (${foreign_policies.join(', ')}), which could show other teams' rows`,
    )
  return problems
}
