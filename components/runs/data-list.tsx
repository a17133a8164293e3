import { JsonTree } from '@/components/ui/json-tree'
import type { Json } from '@/spec'

/** A list longer than this is folded at first: what stands below it must not be pushed out of sight. */
const UNFOLDED = 10

const NO_TITLES: Record<string, string> = {}

/** Named values as people read them: text as text, structures as a tree. `titles` gives better names than the keys. */
export function DataList({ values, titles = NO_TITLES }: { values: Record<string, Json>; titles?: Record<string, string> }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
      {Object.entries(values).map(([name, value]) => (
        <div key={name} className="grid grid-cols-1 min-w-0 gap-0.5 sm:col-span-2 sm:grid-cols-subgrid">
          <dt className="text-muted-foreground text-sm">{Object.hasOwn(titles, name) ? titles[name] : nameInWords(name)}</dt>
          <dd className="min-w-0">
            <DataValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** One value: nothing, text with its lines, a number, yes or no, or a tree. */
export function DataValue({ value }: { value: Json }) {
  if (value === null) return <span className="text-muted-foreground">nothing</span>
  if (typeof value === 'boolean') return <span>{value ? 'Yes' : 'No'}</span>
  if (typeof value === 'object') return <JsonTree value={value} depth={Object.keys(value).length > UNFOLDED ? 0 : 1} />
  return <span className="break-words whitespace-pre-wrap">{String(value)}</span>
}

/** `entry_id` as *Entry id*. */
export function nameInWords(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
