import type { Queue } from 'pg-boss'

/** Steps, items of maps and undos. */
export const STEP_QUEUE = 'flow.step'
/** Conversations of agents: each waits for a model most of its time, and must not keep a step waiting. */
export const AGENT_QUEUE = 'flow.agent'
/** Before the kind of a job, each of which has a queue of its own; the workers that know a kind make it. */
export const JOB_QUEUES = 'job.'

/** Whatever has to be done once in a while by one worker: see `every`. */
export const UPKEEP_QUEUE = 'upkeep'

const DAY = 24 * 60 * 60

/**
 * A job stands for a step row and may come back as often as workers die: it must neither run out of retries nor be thrown away
 * while no worker runs. `heartbeatSeconds`: how long a killed worker's job waits for the next one; pg-boss allows no less than 10.
 */
export const QUEUE_OPTIONS = {
  notify: true,
  heartbeatSeconds: 10,
  expireInSeconds: DAY,
  retryLimit: 1_000_000,
  retryDelay: 0,
  retentionSeconds: 365 * DAY,
  deleteAfterSeconds: 60 * 60,
} satisfies Omit<Queue, 'name'>

/**
 * What pg-boss takes for lost though its worker says that it lives: longer than any attempt may last (90 days), since the engine ends those itself.
 * pg-boss refuses more than a day from its callers, so the queue's row is set.
 */
const EXPIRE_SECONDS = 100 * DAY
/** Upkeep is done by pg-boss's own worker, which makes a timer of this: after more than 24 days it would go off at once, and fail the job. */
export const UPKEEP_EXPIRE_SECONDS = 60 * 60

/** Gives every queue its expiry, also one that an earlier version gave another. */
export const SET_EXPIRY = `
  UPDATE pgboss.queue AS q SET expire_seconds = wanted.seconds
  FROM (SELECT name, CASE name WHEN '${UPKEEP_QUEUE}' THEN ${UPKEEP_EXPIRE_SECONDS} ELSE ${EXPIRE_SECONDS} END AS seconds FROM pgboss.queue) AS wanted
  WHERE q.name = wanted.name AND q.expire_seconds IS DISTINCT FROM wanted.seconds`
