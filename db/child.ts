import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'

/**
 * A watcher that outlives us by moments only: its input is a pipe that the kernel closes when we end, however we end, `kill -9` included.
 * Then it asks the program's whole process group to stop, and after 4 s it insists. It sits in that group itself, so the group's number
 * cannot have been given to strangers. The watcher is a grandchild: PostgreSQL takes the death of an unknown child for a crash.
 */
const guard = `
exec 3<&0 </dev/null
( { trap '' TERM INT HUP
    read _ <&3
    kill -s "$0" -- "-$$"
    tries=40
    while [ $tries -gt 0 ] && kill -s 0 "$$"; do sleep 0.1; tries=$((tries - 1)); done
    kill -s KILL -- "-$$"
  } >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`

/** How long a child may take over its orderly end before it is killed, in milliseconds. */
const grace = 4_000

export interface ChildOptions {
  cwd?: string
  /** Its whole environment; ours where it is left out. */
  env?: Record<string, string | undefined>
  /** Variables beside those, or instead of some of them. */
  moreEnv?: Record<string, string>
  /** Where its output goes: to ours, or to pipes for us to read. */
  output?: 'inherit' | 'pipe'
  /** The signal that asks for an orderly end. */
  stopSignal?: 'SIGTERM' | 'SIGINT'
  /** A pipe on file descriptor 4 to which it writes while its event loop turns: see `killWhenBlocked`. */
  heartbeat?: boolean
  uid?: number
  gid?: number
}

export interface Child {
  readonly process: ChildProcess
  readonly pid: number
  /** Settles when the program has ended: its exit code, or null where a signal ended it or it could not be started. */
  readonly exited: Promise<number | null>
  /** Asks it to end, kills its process group after 4 s or what is given, and resolves when it is gone. */
  stop(graceMs?: number): Promise<void>
}

/** Starts a program in a process group of its own (a Ctrl-C in the terminal does not reach it) that cannot outlive this process. */
export function startChild(command: string, args: string[], options: ChildOptions = {}): Child {
  const { output = 'inherit', stopSignal = 'SIGTERM', env = process.env, moreEnv, heartbeat = false, ...others } = options
  const rest = { ...others, env: { ...env, ...moreEnv } as NodeJS.ProcessEnv }
  // The guard takes descriptor 3 for itself.
  const stdio: StdioOptions = heartbeat ? ['pipe', output, output, 'ignore', 'pipe'] : ['pipe', output, output]
  const posix = process.platform !== 'win32'
  const child = posix
    ? spawn('/bin/sh', ['-c', guard, stopSignal.slice(3), command, ...args], { ...rest, stdio, detached: true })
    : spawn(command, args, { ...rest, stdio })
  child.stdin?.on('error', () => {})
  const exited = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', resolve)
  }).finally(() => child.stdin?.destroy())
  const kill = (signal: NodeJS.Signals, group: boolean) => {
    try {
      if (child.pid) process.kill(posix && group ? -child.pid : child.pid, signal)
    } catch {
      // Already gone.
    }
  }
  const stop = async (graceMs = grace) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    kill(stopSignal, false)
    const timer = setTimeout(() => kill('SIGKILL', true), graceMs)
    await exited
    clearTimeout(timer)
  }
  return { process: child, pid: child.pid ?? -1, exited, stop }
}

/** Runs a program to its end and returns its exit code and everything it wrote (standard output and error as they came). */
export async function runChild(command: string, args: string[], options: ChildOptions = {}): Promise<{ code: number; output: string }> {
  const child = startChild(command, args, { ...options, output: 'pipe' })
  const chunks: Buffer[] = []
  for (const stream of [child.process.stdout, child.process.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
  const failure = new Promise<Error>((resolve) => child.process.once('error', resolve))
  const ended = await Promise.race([once(child.process, 'close').catch(() => [null]), failure])
  const output = Buffer.concat(chunks).toString('utf8')
  if (ended instanceof Error) return { code: 127, output: `${command}: ${ended.message}` }
  return { code: typeof ended[0] === 'number' ? ended[0] : 1, output }
}
