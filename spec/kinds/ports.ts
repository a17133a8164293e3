/** The ports that are the same for every step of a kind; a choice's are its branches. */
export const PORTS = {
  tool: ['succeeded', 'failed'],
  job: ['succeeded', 'failed'],
  agent: ['succeeded', 'failed'],
  workflow: ['succeeded', 'failed'],
  map: ['succeeded', 'failed'],
  approve: ['approved', 'rejected', 'expired'],
  wait: ['succeeded'],
} as const
