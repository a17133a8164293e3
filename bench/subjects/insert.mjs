import { Client } from 'pg'
import { OUTPUT } from '../lib/tests'

/** One row inserted and committed, by so many connections at the same time: what this machine's PostgreSQL and disk allow. */
const { connections, seconds } = JSON.parse(process.argv[2])
const clients = Array.from({ length: connections }, () => new Client({ connectionString: process.env.DATABASE_URL }))
await Promise.all(clients.map((client) => client.connect()))
await clients[0].query('CREATE TABLE one_row (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, doc json)')
const text = JSON.stringify(OUTPUT)
let rows = 0
const since = performance.now()
const until = since + seconds * 1000
await Promise.all(
  clients.map(async (client) => {
    while (performance.now() < until) {
      await client.query({ name: 'insert', text: 'INSERT INTO one_row (doc) VALUES ($1)', values: [text] })
      rows++
    }
  }),
)
console.log(`\n${JSON.stringify({ stepsPerSecond: rows / ((performance.now() - since) / 1000) })}`)
process.exit(0)
