import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { refusalOf } from './errors'
import { createWebContext } from './trpc/context'
import { createCallerFactory } from './trpc/init'
import { appRouter } from './trpc/router'

const createCaller = createCallerFactory(appRouter)

/** The API as the person of this request, for server components. */
export async function serverApi() {
  return createCaller(await createWebContext(await headers()))
}

/** Set by `proxy.ts`: where the person wanted to go. */
const PATH_HEADER = 'x-clew-path'

/** Runs what a page reads: what is not there becomes the "not found" page, and nobody signed in the sign-in page, which leads back here. */
export async function load<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const code = refusalOf(error)?.code
    if (code === 'not_found') notFound()
    if (code === 'unauthenticated') redirect(`/signin?callbackUrl=${encodeURIComponent((await headers()).get(PATH_HEADER) ?? '/')}`)
    throw error
  }
}
