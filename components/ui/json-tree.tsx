'use client'

import { useState } from 'react'
import type { Json } from '@/spec'
import { cn } from './cn'

/** More members than this stay folded behind a button: a map's output can hold 10,000. */
const PAGE = 100
const LONG = 300
/** Below this many levels a value is shown as the beginning of its text: each level is a box in a box, and browsers hang on thousands. */
const LEVELS = 50

/** JSON that folds. Objects and arrays open to `depth` levels at first; what is folded is drawn when it is unfolded. */
export function JsonTree({ value, depth = 1, className }: { value: Json; depth?: number; className?: string }) {
  return (
    <div className={cn('overflow-x-auto font-mono text-[0.8125rem] leading-6', className)}>
      <Node value={value} depth={depth} level={0} />
    </div>
  )
}

function Node({ name, value, depth, level }: { name?: string; value: Json; depth: number; level: number }) {
  if (value === null || typeof value !== 'object') {
    return (
      <div className="flex gap-2 pl-4">
        {name !== undefined && <Name name={name} />}
        <Scalar value={value} />
      </div>
    )
  }
  if (isEmpty(value) || level >= LEVELS) {
    return (
      <div className="flex gap-2 pl-4">
        {name !== undefined && <Name name={name} />}
        <span className="text-muted-foreground min-w-0 break-words">
          {isEmpty(value) ? (Array.isArray(value) ? '[ ]' : '{ }') : begun(value)}
        </span>
      </div>
    )
  }
  return <Branch name={name} value={value} depth={depth} level={level} />
}

function Branch({ name, value, depth, level }: { name: string | undefined; value: Tree; depth: number; level: number }) {
  const [open, setOpen] = useState(depth > 0)
  const [shown, setShown] = useState(PAGE)
  const entries = Object.entries(value)
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="group/node">
      <summary className="flex w-fit list-none items-center gap-2 rounded-sm pr-2 before:inline-block before:w-2 before:text-muted-foreground before:transition-transform before:content-['›'] [details[open]>&]:before:rotate-90 [&::-webkit-details-marker]:hidden">
        {name !== undefined && <Name name={name} />}
        <span className="text-muted-foreground">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      {open && (
        <div className="ml-1 border-l pl-3">
          {entries.slice(0, shown).map(([key, inner]) => (
            <Node key={key} name={key} value={inner} depth={depth - 1} level={level + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" className="pl-4 text-primary underline underline-offset-2" onClick={() => setShown(shown + PAGE * 5)}>
              Show more ({entries.length - shown} left)
            </button>
          )}
        </div>
      )}
    </details>
  )
}

type Tree = Json[] | { [name: string]: Json }

const isEmpty = (value: Tree) => Object.keys(value).length === 0

function begun(value: Json): string {
  const text = textOf(value, LONG + 1)
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text
}

/** JSON text that may end early, once it has `enough` characters: each level writes one, so that no depth is beyond the stack. */
function textOf(value: Json, enough: number): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const list = Array.isArray(value)
  let text = list ? '[' : '{'
  for (const [name, inner] of Object.entries(value)) {
    if (text.length >= enough) return text
    text += `${text.length > 1 ? ',' : ''}${list ? '' : `${JSON.stringify(name)}:`}`
    text += textOf(inner, enough - text.length)
  }
  return text + (list ? ']' : '}')
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
