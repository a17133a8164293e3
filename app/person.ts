import { TRPCError } from '@trpc/server'
import { cache } from 'react'
import { serverApi } from '@/server/api/server'

/** Who is signed in, once per request; null: nobody. */
export const currentPerson = cache(async () => {
  try {
    return await (await serverApi()).me.get()
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'UNAUTHORIZED') return null
    throw error
  }
})
