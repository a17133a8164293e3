import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { causesOf } from '@/server/engine/causes'
import { isPassing } from './passing'

type Line = (level: 'info' | 'warn', message: string, fields: Record<string, string | number | null>) => void

export type OutageOptions = {
  log: { line: Line; error: (message: string, cause: unknown) => void }
  /** How long it must have been back before its going away again is worth another line, in milliseconds. */
  quietMs?: number
}

/**
 * Where failures are reported, so that a database that is away is said once and in words however many parts of the process notice, and once
 * more when it is back. Everything else is logged as it comes.
 */
export class Outage {
  #since: number | undefined
  #saidAt = Number.NEGATIVE_INFINITY
  #closed = new AbortController()

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly options: OutageOptions,
  ) {}

  readonly report = (message: string, cause: unknown): void => {
    if (isPassing(cause) !== 'away') return this.options.log.error(message, cause)
    if (this.#since !== undefined || this.#closed.signal.aborted) return
    const now = performance.now()
    this.#since = now
    const said = now - this.#saidAt >= (this.options.quietMs ?? 30_000)
    if (said) {
      this.#saidAt = now
      const code = causesOf(cause).find((one) => one.code !== null)?.code ?? null
      this.options.log.line('warn', 'the database does not answer as it should: waiting, and trying again until it does', { code })
    }
    void this.#awaitReturn(said, now)
  }

  close(): void {
    this.#closed.abort()
  }

  async #awaitReturn(said: boolean, since: number): Promise<void> {
    const { signal } = this.#closed
    for (let pause = 250; ; pause = Math.min(5_000, pause * 2)) {
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      if (await this.#writable()) break
    }
    this.#since = undefined
    const seconds = Math.round((performance.now() - since) / 100) / 10
    if (said) this.options.log.line('info', 'the database answers again', { seconds })
  }

  /** A standby answers, and takes nothing. */
  async #writable(): Promise<boolean> {
    try {
      const { rows } = await this.pool.query<{ off: boolean }>(`SELECT current_setting('transaction_read_only') = 'off' AS off`)
      return rows[0]?.off === true
    } catch {
      return false
    }
  }
}
