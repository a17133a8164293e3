'use client'

import { SearchIcon } from 'lucide-react'
import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useRef, useState, useTransition } from 'react'
import { Input } from '@/components/ui/field'

const PAUSE_MS = 200

/** Searches while one types; the search stands in the address (`?q=`), and works as a plain form too. */
export function SearchBox({ initial }: { initial: string }) {
  const router = useRouter()
  const path = usePathname()
  const [text, setText] = useState(initial)
  const [searching, start] = useTransition()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (value: string) => {
    setText(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const q = value.trim()
      start(() => router.replace(q ? `${path}?q=${encodeURIComponent(q)}` : path, { scroll: false }))
    }, PAUSE_MS)
  }
  return (
    <search className="mb-4 block">
      <form action={path} className="relative w-full max-w-sm">
        <SearchIcon className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground" aria-hidden />
        <Input
          type="search"
          name="q"
          aria-label="Search workflows"
          placeholder="Search workflows"
          className="pl-9"
          maxLength={200}
          value={text}
          onChange={(event) => search(event.target.value)}
        />
        <span role="status" className="pointer-events-none absolute top-1/2 right-9 -translate-y-1/2 bg-card text-sm text-muted-foreground">
          {searching ? 'Searching…' : ''}
        </span>
      </form>
    </search>
  )
}
