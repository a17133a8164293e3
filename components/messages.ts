/**
 * The people's vocabulary, in one place: pages say these words, code and documents say the engineers' (docs/glossary.md).
 * The words of the statuses stand with their colours in components/runs/status.ts.
 */
export const effectWords = {
  read: { word: 'Reads', help: 'Only looks things up. Changes nothing.' },
  write: { word: 'Writes', help: 'Changes something, and is safe to repeat: a repeat has no second effect.' },
  once: { word: 'Once', help: 'Does something that cannot be repeated safely, so it is never retried on its own.' },
} as const

/** Where a version of a workflow came from, as `plugin:expense-approval` or `canvas`. */
export function sourceWords(source: string): string {
  const [kind, name] = source.split(':')
  if (kind === 'plugin') return `comes with the plugin ${name}`
  if (kind === 'api') return 'published by a program'
  return `made in ${source}`
}

export const levelWords = { member: 'Member', editor: 'Editor', owner: 'Owner' } as const

/** "4 s", "3 min 5 s", "2 h 10 min", "3 days". */
export function durationWords(seconds: number): string {
  if (seconds < 1) return 'under 1 s'
  if (seconds < 60) return `${Math.round(seconds)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min${seconds % 60 >= 1 ? ` ${Math.floor(seconds % 60)} s` : ''}`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h${seconds % 3600 >= 60 ? ` ${Math.floor((seconds % 3600) / 60)} min` : ''}`
  const days = Math.floor(seconds / 86_400)
  return days === 1 ? '1 day' : `${days} days`
}

/** For a failure whose reason the person cannot use. */
export const UNREACHABLE = 'The server did not answer. Nothing was changed. Check your connection and try again.'
