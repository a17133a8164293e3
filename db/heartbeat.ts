import type { Readable } from 'node:stream'
import type { Child } from './child'

/** The file descriptor that a child with a heartbeat writes to: one byte a second, from its event loop. */
export const HEARTBEAT_FD = 4

/** Looks for a beat this often within the silence that is allowed. */
const LOOKS = 30

/**
 * Kills a child (its whole process group) whose event loop was blocked for `silenceMs`: it beat, and then no more. Resolves when the child has
 * ended: true where it was killed for that. What is counted are looks without a beat, not time: a machine that slept is no blocked child.
 */
export async function killWhenBlocked(child: Child, silenceMs: number): Promise<boolean> {
  let silent = 0
  let beats = false
  let killed = false
  const pipe = child.process.stdio[HEARTBEAT_FD] as Readable | null | undefined
  pipe?.on('error', () => {})
  pipe?.on('data', () => {
    beats = true
    silent = 0
  })
  const looking = setInterval(() => {
    if (!beats || ++silent <= LOOKS || killed) return
    killed = true
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
    } catch {
      // It ended in this moment.
    }
  }, silenceMs / LOOKS)
  await child.exited
  clearInterval(looking)
  pipe?.destroy()
  return killed
}
