'use client'

import { createContext, use, useMemo, useSyncExternalStore, type ReactNode } from 'react'

/** How the person at the screen reads times: BCP 47 locale, IANA time zone. */
type Reader = { locale: string; timeZone: string }

/** What the account of somebody says who never chose a time zone. Who wants this very zone chooses `Etc/UTC`. */
export const ZONE_NOT_CHOSEN = 'UTC'

const Context = createContext<Reader>({ locale: 'en', timeZone: ZONE_NOT_CHOSEN })

const never = () => () => {}
const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
const serverZone = () => ZONE_NOT_CHOSEN

/** Makes times below it appear in this person's language and zone; the browser's zone for who never chose one. */
export function PersonProvider({ reader: { locale, timeZone }, children }: { reader: Reader; children: ReactNode }) {
  // The server cannot know the browser's zone: the first drawing is in UTC on both sides, the next in the browser's.
  const here = useSyncExternalStore(never, browserZone, serverZone)
  const zone = timeZone === ZONE_NOT_CHOSEN ? here : timeZone
  return <Context value={useMemo(() => ({ locale, timeZone: zone }), [locale, zone])}>{children}</Context>
}

export function usePerson(): Reader {
  return use(Context)
}
