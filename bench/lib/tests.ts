import { measured } from './counters'
import type { Figures } from './report'

/** What every step returns: 200 bytes. */
export const OUTPUT = { text: 'x'.repeat(187) }

/** What is measured: each resolves when such a run has ended, durably. */
type Subject = { chain(): Promise<unknown>; fanOut(items: number): Promise<unknown>; close?(): Promise<void> }
type Settings = { runs: number; counting: boolean; times: number; items: number; queued?: boolean }

/** The tests that every subject takes. */
const tests = {
  /** 10 steps one after the other, so many runs, 50 at a time. */
  async chain({ runs, counting }: Settings, { chain }: Subject): Promise<Figures> {
    await inFlight(Math.min(runs, 100), 50, chain)
    return measured(runs * 10, counting, () => inFlight(runs, 50, chain))
  },
  /** One idle run of 10 steps, again and again: from the call that starts it to its last commit, in milliseconds. */
  async latency({ times }: Settings, { chain }: Subject): Promise<Figures> {
    for (let i = 0; i < 10; i++) await chain()
    const all: number[] = []
    for (let i = 0; i < times; i++) {
      const since = performance.now()
      await chain()
      all.push(performance.now() - since)
    }
    all.sort((a, b) => a - b)
    return { p50: all[Math.floor(times * 0.5)] ?? 0, p95: all[Math.floor(times * 0.95)] ?? 0 }
  },
  /** One run that does a step for each of so many items, and joins. */
  async fanOut({ items }: Settings, { fanOut }: Subject): Promise<Figures> {
    await fanOut(20)
    return measured(items, false, () => fanOut(items))
  },
}

/** Does the work so many times, at most `width` at the same time. */
async function inFlight(times: number, width: number, work: () => Promise<unknown>): Promise<void> {
  let started = 0
  const lane = async () => {
    while (started < times) {
      started++
      await work()
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** Runs the test that this process was asked for, prints the figures as its last line, and ends. */
export async function runTest(subject: { open(settings: Settings): Promise<Subject> }): Promise<never> {
  const { test, ...settings } = JSON.parse(process.argv[2] ?? '') as Settings & { test: keyof typeof tests }
  const opened = await subject.open(settings)
  const figures = await tests[test](settings, opened)
  console.log(`\n${JSON.stringify(figures)}`)
  await opened.close?.()
  process.exit(0)
}
