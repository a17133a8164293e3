import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, startChild } from '@/db/child'
import { killWhenBlocked } from '@/db/heartbeat'
import { warn } from './console'

/** A part of Clew that is started again when it ends. */
export interface Service {
  pid(): number
  stop(graceMs: number): Promise<void>
}

const FIRST_PAUSE = 500
const LONGEST_PAUSE = 15_000
/** Who ran this long was well; the next pause is the first one again. */
const HEALTHY_AFTER = 10_000

/**
 * Starts a Node program and keeps it running: after each end it waits twice as long as before (0.5 s, 1 s, … 15 s) and starts it again.
 * `silenceMs`: it says all the time that its event loop turns, and is killed when it was blocked for so long.
 */
export function keepRunning(
  name: string,
  args: string[],
  env: Record<string, string | undefined>,
  { onStart, silenceMs }: { onStart: () => void; silenceMs?: number },
): Service {
  let child: Child
  const stopping = new AbortController()
  const loop = async () => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const since = Date.now()
      child = startChild(process.execPath, args, { env, heartbeat: silenceMs !== undefined })
      onStart()
      const blocked = silenceMs === undefined ? false : await killWhenBlocked(child, silenceMs)
      const code = await child.exited
      if (stopping.signal.aborted) return
      if (Date.now() - since > HEALTHY_AFTER) pause = FIRST_PAUSE
      if (blocked && silenceMs !== undefined)
        warn(`The ${name} did not react for ${silenceMs / 1000} s, so it was killed: something in it held up everything else.`)
      warn(`The ${name} ended (${code ?? child.process.signalCode ?? 'it could not be started'}); starting it again in ${pause / 1000} s.`)
      const gone = await sleep(pause, false, { signal: stopping.signal }).catch(() => true)
      if (gone) return
    }
  }
  const done = loop()
  return {
    pid: () => child.pid,
    stop: async (graceMs) => {
      stopping.abort()
      await child.stop(graceMs)
      await done
    },
  }
}
