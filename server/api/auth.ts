import NextAuth from 'next-auth'
import type { NextRequest } from 'next/server'
import { checkOrigin } from '../auth/origin'
import { authOptions } from '../auth/session'
import { container } from '../container/web'
import { demandDatabase } from './away'
import { problemResponse, refusalOf } from './errors'

/** Signing in and out, by next-auth, for requests of our own pages. */
export async function handleAuth(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  try {
    checkOrigin(request)
    if (request.method === 'POST') await demandDatabase()
  } catch (error) {
    const response = problemResponse(error)
    // next-auth's code in the browser reads what went wrong from an address, and chokes on an answer without one.
    if (refusalOf(error)?.code !== 'unavailable') return response
    const url = new URL('/signin?error=Unavailable', request.url).href
    return Response.json({ ...((await response.json()) as object), url }, response)
  }
  return NextAuth(request, context, authOptions(container().db)) as Promise<Response>
}
