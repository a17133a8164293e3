import { DBOS } from '@dbos-inc/dbos-sdk'
import { OUTPUT, runTest } from '../lib/tests'

const step = (name, input) => DBOS.runStep(async () => ({ ...OUTPUT, of: input.length }), { name })

/** DBOS, started directly in this process, or (`queued`) through a queue that is looked at every 100 ms. */
async function open({ queued = false }) {
  const chain = DBOS.registerWorkflow(
    async (input) => {
      let last = { text: input }
      for (let i = 0; i < 10; i++) last = await step(`s${i}`, last.text)
      return last
    },
    { name: 'chain' },
  )
  const fanOut = DBOS.registerWorkflow(
    async (items) => {
      const all = Array.from({ length: items }, (_, i) => i)
      const results = []
      for (let at = 0; at < items; at += 100)
        results.push(...(await Promise.all(all.slice(at, at + 100).map((i) => step(`item ${i}`, String(i))))))
      return results.length
    },
    { name: 'fanOut' },
  )
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.env.DATABASE_URL, systemDatabasePoolSize: 20, logLevel: 'error' })
  await DBOS.launch()
  if (queued) await DBOS.registerQueue('bench', { minPollingIntervalMs: 100, workerConcurrency: 50 })
  const params = queued ? { queueName: 'bench' } : {}
  return {
    chain: async () => (await DBOS.startWorkflow(chain, params)(OUTPUT.text)).getResult(),
    fanOut: async (items) => (await DBOS.startWorkflow(fanOut)(items)).getResult(),
  }
}

await runTest({ open })
