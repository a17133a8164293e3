'use client'

import { useState } from 'react'
import type { Json } from '@/spec'
import { cn } from './cn'

/** More members than this stay folded behind a button: a map's output can hold 10,000. */
const PAGE = 100
const LONG = 300

/** JSON that folds. Objects and arrays open to `depth` levels at first. */
export function JsonTree({ value, depth = 1, className }: { value: Json; depth?: number; className?: string }) {
  return (
    <div className={cn('overflow-x-auto font-mono text-[0.8125rem] leading-6', className)}>
      <Node value={value} depth={depth} />
    </div>
  )
}

function Node({ name, value, depth }: { name?: string; value: Json; depth: number }) {
  const [shown, setShown] = useState(PAGE)
  if (value === null || typeof value !== 'object') {
    return (
      <div className="flex gap-2 pl-4">
        {name !== undefined && <Name name={name} />}
        <Scalar value={value} />
      </div>
    )
  }
  const entries = Object.entries(value)
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  if (entries.length === 0) {
    return (
      <div className="flex gap-2 pl-4">
        {name !== undefined && <Name name={name} />}
        <span className="text-muted-foreground">{Array.isArray(value) ? '[ ]' : '{ }'}</span>
      </div>
    )
  }
  return (
    <details open={depth > 0} className="group/node">
      <summary className="flex w-fit list-none items-center gap-2 rounded-sm pr-2 before:inline-block before:w-2 before:text-muted-foreground before:transition-transform before:content-['›'] [details[open]>&]:before:rotate-90 [&::-webkit-details-marker]:hidden">
        {name !== undefined && <Name name={name} />}
        <span className="text-muted-foreground">{size}</span>
      </summary>
      <div className="ml-1 border-l pl-3">
        {entries.slice(0, shown).map(([key, inner]) => (
          <Node key={key} name={key} value={inner} depth={depth - 1} />
        ))}
        {entries.length > shown && (
          <button type="button" className="pl-4 text-primary underline underline-offset-2" onClick={() => setShown(shown + PAGE * 5)}>
            Show more ({entries.length - shown} left)
          </button>
        )}
      </div>
    </details>
  )
}

function Name({ name }: { name: string }) {
  return <span className="shrink-0 text-foreground">{name}:</span>
}

function Scalar({ value }: { value: string | number | boolean | null }) {
  const [whole, setWhole] = useState(false)
  if (typeof value !== 'string') return <span className="text-(--status-running)">{String(value)}</span>
  const cut = value.length > LONG && !whole
  return (
    <span className="min-w-0 break-words whitespace-pre-wrap text-(--status-succeeded)">
      “{cut ? `${value.slice(0, LONG)}…` : value}”
      {cut && (
        <button type="button" className="ml-2 text-primary underline underline-offset-2" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </span>
  )
}
