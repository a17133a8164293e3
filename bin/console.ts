import { styleText } from 'node:util'
import { Problem } from '@/db/problem'

/** Tells the person at the terminal what happens, in words. */
export function say(line = ''): void {
  console.log(line)
}

/** Says what takes long, and every 15 s that it still goes on: silence looks like a fault. */
export async function sayWhile<T>(line: string, work: () => Promise<T>): Promise<T> {
  say(line)
  const since = Date.now()
  const beat = setInterval(() => say(`  … still at it (${Math.round((Date.now() - since) / 1000)} s)`), 15_000)
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}

/** Tells of trouble that Clew deals with by itself. */
export function warn(line: string): void {
  console.error(styleText('yellow', line))
}

/** Prints what went wrong: one sentence for what is expected to go wrong in the world, the whole stack for our own mistakes. */
export function complain(error: unknown): void {
  const full = errorCodes(error).some((code) => code === 'ENOSPC' || code === '53100')
  const sentence =
    error instanceof Problem ? error.message : full ? 'The disk is full: free at least 200 MB and start again. Nothing was lost.' : null
  console.error(sentence ? styleText('red', sentence) : error)
}

/** Calls `end` once, when a signal asks us to end or the process that started us (`CLEW_PARENT_PID`) has gone. */
export function onEnd(end: () => void): void {
  let called = false
  const once = () => {
    if (called) return
    called = true
    end()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, once)
  const parent = Number(process.env.CLEW_PARENT_PID)
  if (parent) setInterval(() => process.ppid !== parent && once(), 250).unref()
}

/** The codes (of the system, or PostgreSQL's SQLSTATE) along the chain of causes. */
export function errorCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { code } = error as NodeJS.ErrnoException
  return [...(code ? [code] : []), ...errorCodes(error.cause)]
}
