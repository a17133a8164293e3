import path from 'node:path'
import { cleanEnvironment } from '@/bin/testing/environment'
import { type Child, startChild } from '@/db/child'
import { HEARTBEAT_FD } from '@/db/heartbeat'

const PLUGINS = path.join(import.meta.dirname, 'plugins')

/** `said`: everything it wrote so far. */
export type WorkerProcess = Child & { said(): string }

/** A real worker process on this database, with the tools of `testing/plugins` or of another folder. Resolves when it is ready. */
export async function startWorker(databaseUrl: string, plugins = PLUGINS, env: Record<string, string> = {}): Promise<WorkerProcess> {
  const child = startChild(process.execPath, ['--import', 'tsx', 'server/worker/main.ts'], {
    output: 'pipe',
    heartbeat: true,
    env: {
      ...cleanEnvironment(),
      DATABASE_URL: databaseUrl,
      CLEW_SECRET: 'only-for-tests-only-for-tests-only',
      CLEW_PLUGINS_DIR: plugins,
      NODE_ENV: 'test',
      CLEW_HEARTBEAT_FD: String(HEARTBEAT_FD),
      ...env,
    },
  })
  let said = ''
  const ready = Promise.withResolvers<void>()
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('worker ready')) ready.resolve()
    })
  await Promise.race([
    ready.promise,
    child.exited.then((code) => {
      throw new Error(`the worker ended with ${code}:\n${said}`)
    }),
  ])
  return { ...child, said: () => said }
}

/** Ends it as the kernel does when memory runs out: nothing of its own runs any more. */
export async function killWorker(child: Child): Promise<void> {
  process.kill(-child.pid, 'SIGKILL')
  await child.exited
}
