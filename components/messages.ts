/**
 * The people's vocabulary, in one place: pages say these words, code and documents say the engineers' (docs/glossary.md).
 * The words of the statuses stand with their colours in components/runs/status.ts.
 */
export const effectWords = {
  read: { word: 'Reads', help: 'Only looks things up. Changes nothing.' },
  write: { word: 'Writes', help: 'Changes something, and is safe to repeat: a repeat has no second effect.' },
  once: { word: 'Once', help: 'Does something that cannot be repeated safely, so it is never retried on its own.' },
} as const

/** Where a version of a workflow came from, as `plugin:expense-approval`. */
export function sourceWords(source: string): string {
  return source.startsWith('plugin:') ? `comes with the plugin ${source.slice('plugin:'.length)}` : 'published by the team'
}

/** What each scope lets an API key do. */
export const scopeWords = {
  'read:shape': 'See workflows and how far runs are',
  'read:data': 'Read what runs work on: inputs, results, comments',
  start: 'Start runs',
  control: 'Continue runs and record outcomes',
  approve: 'Decide approvals',
  draft: 'Check workflows',
  publish: 'Check and publish workflows',
} as const

/** What the API can do today: a key that may do more would be no use, and one more thing to lose. */
export const OFFERED_SCOPES = ['publish', 'control'] as const satisfies (keyof typeof scopeWords)[]

export const levelWords = { member: 'Member', editor: 'Editor', owner: 'Owner' } as const

/** While the server is there and its database is not. */
export const AWAY = 'The database does not answer just now. Please try again in a moment.'

/** For a failure whose reason the person cannot use. */
export const UNREACHABLE = 'The server did not answer. Nothing was changed. Check your connection and try again.'
