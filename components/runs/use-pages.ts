'use client'

import { useEffect, useRef, useState } from 'react'
import { failureOf } from '@/components/shell/trpc'

type Page<T> = { rows: T[]; next: string | null }

/**
 * A list that grows by keyset pages. The first page comes from the server and changes when the page is refreshed; then the
 * pages after it are read again along their new cursors, so that no row is lost, doubled or stale. `load` must be stable.
 */
export function usePages<T extends { id: string }>(first: Page<T>, load: (cursor: string) => Promise<Page<T>>) {
  const [extra, setExtra] = useState<Page<T>[]>([])
  const [state, setState] = useState<{ loading: boolean; error: string | null }>({ loading: false, error: null })
  const wanted = useRef(0)
  const reading = useRef(0)

  const read = async (pages: number, from: string | null) => {
    const mine = ++reading.current
    wanted.current = pages
    setState({ loading: true, error: null })
    try {
      const found: Page<T>[] = []
      for (let cursor = from; cursor !== null && found.length < pages;) {
        const page = await load(cursor)
        found.push(page)
        cursor = page.next
      }
      if (mine !== reading.current) return
      setExtra(found)
      setState({ loading: false, error: null })
    } catch (error) {
      if (mine === reading.current) setState({ loading: false, error: failureOf(error).message })
    }
  }

  const again = useRef(read)
  useEffect(() => {
    again.current = read
  })
  useEffect(() => {
    if (wanted.current > 0) void again.current(wanted.current, first.next)
  }, [first])

  const rows = new Map([...first.rows, ...extra.flatMap((page) => page.rows)].map((row) => [row.id, row]))
  const last = extra.at(-1) ?? first
  return {
    rows: [...rows.values()],
    ...state,
    more: last.next === null ? null : () => read(extra.length + 1, first.next),
  }
}
