import { JsonTree } from '@/components/ui/json-tree'
import type { Json } from '@/spec'

/** What is not there is hidden, or nothing; `…Omitted`: it is too large for the page, and has so many bytes. */
type Values = Partial<Record<'input' | 'output', Json | null> & Record<'inputOmitted' | 'outputOmitted', number | null>>

/** What something was given, and what it gave: side by side where there is room. */
export function InAndOut({ of, depth = 2 }: { of: Values; depth?: number }) {
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Value title="Input" value={of.input ?? null} omitted={of.inputOmitted ?? null} depth={depth} />
      <Value title="Output" value={of.output ?? null} omitted={of.outputOmitted ?? null} depth={depth} />
    </div>
  )
}

function Value({ title, value, omitted, depth }: { title: string; value: Json; omitted: number | null; depth: number }) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1">
      <h3 className="font-medium">{title}</h3>
      {value === null ? (
        <p className="text-muted-foreground">{omitted === null ? 'nothing' : omittedWords(omitted)}</p>
      ) : (
        <JsonTree value={value} depth={depth} />
      )}
    </div>
  )
}

/** In place of a value that the page does not hold: it is kept, and the steps after it had it whole. */
export const omittedWords = (bytes: number): string => `Kept, but too large to show here: ${kib(bytes)} KiB of JSON.`

const kib = (bytes: number) => new Intl.NumberFormat('en').format(Math.ceil(bytes / 1024))
