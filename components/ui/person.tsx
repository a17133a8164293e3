'use client'

import { createContext, use, type ReactNode } from 'react'

/** How the person at the screen reads times: BCP 47 locale, IANA time zone. */
type Reader = { locale: string; timeZone: string }

const Context = createContext<Reader>({ locale: 'en', timeZone: 'UTC' })

/** Makes times below it appear in this person's language and zone. */
export function PersonProvider({ reader, children }: { reader: Reader; children: ReactNode }) {
  return <Context value={reader}>{children}</Context>
}

export function usePerson(): Reader {
  return use(Context)
}
