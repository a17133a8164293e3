import type { WorkerContainer } from '@/server/container/worker'
import { Dispatcher } from './dispatcher'
import { startSweeper } from './sweep'

/** Takes work off every queue and does it, and sweeps, until it is stopped. Resolves when it does. */
export async function runWorker(worker: WorkerContainer): Promise<{ stop(graceMs: number): Promise<void> }> {
  const { engine, queue, log, exclusively } = worker
  const dispatchers = worker.queues.map(
    ({ name, concurrency }) =>
      new Dispatcher({
        queue,
        from: name,
        log,
        concurrency,
        perform: (job) => engine.perform(job),
        watch: async (runIds) => (await worker.runsBeingCancelled(runIds)).forEach((runId) => engine.abort(runId)),
      }),
  )
  const sweeper = startSweeper({ log, exclusively, sweep: () => engine.sweep(), sweepDue: () => engine.sweepDue() })
  for (const dispatcher of dispatchers) await worker.patiently(() => dispatcher.start())
  return {
    stop: async (graceMs) => {
      await Promise.all([...dispatchers.map((dispatcher) => dispatcher.stop(graceMs)), sweeper.stop()])
    },
  }
}
