import NextAuth from 'next-auth'
import type { NextRequest } from 'next/server'
import { checkOrigin } from '../auth/origin'
import { authOptions } from '../auth/session'
import { container } from '../container/web'
import { problemResponse } from './errors'

/** Signing in and out, by next-auth, for requests of our own pages. */
export async function handleAuth(request: NextRequest, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  try {
    checkOrigin(request)
  } catch (error) {
    return problemResponse(error)
  }
  return NextAuth(request, context, authOptions(container().db)) as Promise<Response>
}
