'use client'

import { useLive } from './use-live'

/** Put it on a server-rendered page to keep it fresh (see useLive). Draws nothing. */
export function Live() {
  useLive()
  return null
}
