import { JsonTree } from '@/components/ui/json-tree'
import type { Json } from '@/spec'

/** What something was given, and what it gave: side by side where there is room. */
export function InAndOut({ input, output, depth = 2 }: { input: Json; output: Json; depth?: number }) {
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Value title="Input" value={input} depth={depth} />
      <Value title="Output" value={output} depth={depth} />
    </div>
  )
}

function Value({ title, value, depth }: { title: string; value: Json; depth: number }) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1">
      <h3 className="font-medium">{title}</h3>
      {value === null ? <p className="text-muted-foreground">nothing</p> : <JsonTree value={value} depth={depth} />}
    </div>
  )
}
