import type { Queue } from 'pg-boss'

/** Every step of every run is a job of this kind. */
export const STEP_QUEUE = 'flow.step'

const DAY = 24 * 60 * 60

/**
 * A job stands for a step row and may come back as often as workers die: it must neither run out of retries nor be thrown away
 * while no worker runs. `heartbeatSeconds`: how long a killed worker's job waits for the next one; pg-boss allows no less than 10.
 */
export const STEP_QUEUE_OPTIONS = {
  partition: true,
  notify: true,
  heartbeatSeconds: 10,
  expireInSeconds: DAY - 60,
  retryLimit: 1_000_000,
  retryDelay: 0,
  retentionSeconds: 365 * DAY,
  deleteAfterSeconds: 60 * 60,
} satisfies Omit<Queue, 'name'>
