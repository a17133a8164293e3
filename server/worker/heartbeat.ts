import { write } from 'node:fs'

const EVERY_MS = 1_000

/** Says once a second that the event loop turns, to whoever watches this worker from outside; nobody does where there is no descriptor. */
export function startHeartbeat(fd: number | undefined): void {
  if (fd === undefined) return
  // A watcher that is gone has taken this process with it, or soon will: nothing to say to it.
  const beat = () => write(fd, '.', () => {})
  beat()
  setInterval(beat, EVERY_MS).unref()
}
