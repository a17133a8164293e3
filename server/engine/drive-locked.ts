import { drive, type Logged } from './driver'
import type { EngineEvent } from './model'
import type { RunTx } from './ports'
import { logAll, type Context } from './record'

type Chosen = EngineEvent[] | null

/** Drives a run by the events chosen under its lock; `null` refuses, none changes nothing. */
export async function driveLocked(
  context: Context,
  runId: string,
  choose: (tx: RunTx) => Chosen | Promise<Chosen>,
): Promise<'done' | 'refused' | 'no such run'> {
  const { ports, plans } = context
  const done = await ports.store.transact(runId, async (tx): Promise<{ logged: Logged[]; refused: boolean }> => {
    const events = await choose(tx)
    if (!events || events.length === 0) return { logged: [], refused: events === null }
    return { logged: await drive({ tx, plan: plans.of(tx.run.definition), newId: ports.newId }, events), refused: false }
  })
  if (!done) return 'no such run'
  logAll(ports, done.logged)
  return done.refused ? 'refused' : 'done'
}
