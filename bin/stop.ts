/** The end of all of it is promised within 5 s. */
const WHOLE_MS = 4_800
/** A worker waits 3 s for what runs, and then gives the rest back. What comes after this is left to the database. */
const SERVICES_MS = 3_700

interface Stoppable {
  stop(graceMs: number): Promise<void>
}

/**
 * Stops the services together, and then the database that they need for their own orderly end. It has what they left of the time, and at least a second:
 * one that is killed loses nothing that was committed, and takes a moment longer to start.
 */
export async function stopAll(services: readonly Stoppable[], database: () => Stoppable | null): Promise<void> {
  const since = performance.now()
  await Promise.all(services.map((service) => service.stop(SERVICES_MS)))
  await database()?.stop(Math.max(WHOLE_MS - SERVICES_MS, WHOLE_MS - (performance.now() - since)))
}
