import type { Metadata } from 'next'
import { refusalOf } from '@/server/api/errors'
import { load } from '@/server/api/server'
import { currentPerson } from './person'

/** One title for what is not there and for what one may not know of. Given, not thrown: Next has no title at all where a layout and a title both throw. */
export const NOT_FOUND: Metadata = { title: 'Not found' }

/** The browser title from what a page reads; the page itself says what else became of reading it. */
export function titleFrom(read: () => Promise<string>): Promise<Metadata> {
  return load(async () => {
    try {
      return { title: await read() }
    } catch (error) {
      if (refusalOf(error)?.code === 'not_found') return NOT_FOUND
      throw error
    }
  })
}

/** The browser title of a page that belongs to a team as a whole: "Runs · Finance". */
export async function teamTitle(params: Promise<{ team: string }>, words: string): Promise<Metadata> {
  const { team } = await params
  const me = await currentPerson()
  if (me === null) return { title: words }
  const known = me.teams.find(({ slug }) => slug === team)
  return known ? { title: `${words} · ${known.name}` } : NOT_FOUND
}
