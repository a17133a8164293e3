import { once, EventEmitter } from 'node:events'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase, type TestDatabase } from '@/db/testing/database'
import { listenForChanges, type Change, type Changes } from './changes'

let database: TestDatabase
let client: Client
let changes: Changes

beforeAll(async () => {
  database = await testDatabase()
  client = new Client({ connectionString: database.url })
  await client.connect()
  changes = listenForChanges(database.url)
})
afterAll(async () => {
  await changes.close()
  await client.end()
  await database.drop()
})

const announce = (payload: string) => client.query("select pg_notify('clew_runs', $1)", [payload])
const connections = async () =>
  (await client.query("select pid from pg_stat_activity where application_name = 'clew live' and datname = current_database()")).rows

/** A listener whose changes can be awaited one by one. */
async function listener() {
  const heard = new EventEmitter()
  const stop = await changes.subscribe((change) => heard.emit('change', change))
  return { next: async () => ((await once(heard, 'change')) as [Change])[0], heard, stop }
}

describe('announcements of changed runs', () => {
  it('reach everybody who listens, over one connection', async () => {
    const [a, b] = [await listener(), await listener()]
    const both = Promise.all([a.next(), b.next()])
    await announce('{"run":"r1","team":"t1","version":2}')
    expect(await both).toEqual([
      { runId: 'r1', teamId: 't1' },
      { runId: 'r1', teamId: 't1' },
    ])
    expect(await connections()).toHaveLength(1)
    a.stop()
    b.stop()
  })

  it('no longer reach whoever stopped', async () => {
    const [gone, here] = [await listener(), await listener()]
    const heard: Change[] = []
    gone.heard.on('change', (change: Change) => heard.push(change))
    gone.stop()
    const next = here.next()
    await announce('{"run":"r2","team":"t1"}')
    await next
    expect(heard).toEqual([])
    here.stop()
  })

  it('that say nothing we know mean that anything may have changed', async () => {
    const { next, stop } = await listener()
    const heard = next()
    await announce('who knows')
    expect(await heard).toEqual({ runId: null, teamId: null })
    stop()
  })

  it('come again after the connection was lost, and everybody is told to read what they missed', async () => {
    const { next, stop } = await listener()
    const missed = next()
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where pid = $1', [(await connections())[0].pid])
    expect(await missed).toEqual({ runId: null, teamId: null })
    const heard = next()
    await announce('{"run":"r3","team":"t1"}')
    expect(await heard).toEqual({ runId: 'r3', teamId: 't1' })
    expect(await connections()).toHaveLength(1)
    stop()
  })
})
