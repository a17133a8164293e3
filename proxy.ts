import { randomBytes } from 'node:crypto'
import { NextResponse, type NextRequest } from 'next/server'
import { THEME_COOKIE, themeOf } from '@/components/shell/preferences'
import { awayPage, databaseAnswers } from '@/server/api/away'
import { problemResponse } from '@/server/api/errors'
import { env } from '@/server/env'
import { ClewError } from '@/server/errors'

/** Headers of every page and answer. Scripts run only with this request's nonce; styles may be inline, as diagrams need it. */
export async function proxy(request: NextRequest): Promise<Response> {
  const nonce = randomBytes(16).toString('base64')
  const policy = contentSecurityPolicy(nonce)
  const response = await answer(request, policy, nonce)
  response.headers.set('content-security-policy', policy)
  response.headers.set('referrer-policy', 'same-origin')
  response.headers.set('x-content-type-options', 'nosniff')
  response.headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()')
  return response
}

async function answer(request: NextRequest, policy: string, nonce: string): Promise<Response> {
  if (!isDecodable(request.nextUrl.pathname)) return problemResponse(malformed())
  if (isPage(request) && !(await databaseAnswers())) return awayPage({ nonce, theme: themeOf(request.cookies.get(THEME_COOKIE)?.value) })
  return pass(request, policy)
}

/** Once a page has begun, its status is said: only here can it be 503. The API says so itself, and files need no database. */
function isPage({ method, nextUrl: { pathname } }: NextRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !/^\/(api|schemas)\//.test(pathname)
}

function pass(request: NextRequest, policy: string): Response {
  const headers = new Headers(request.headers)
  // Next reads the nonce from here and puts it on its own scripts.
  headers.set('content-security-policy', policy)
  headers.set('x-clew-path', request.nextUrl.pathname + request.nextUrl.search)
  return NextResponse.next({ request: { headers } })
}

const malformed = () => new ClewError('invalid', 'The address is malformed.')

/** Next's router would decode it and fail with a bare 500 before any page or handler sees the request. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function contentSecurityPolicy(nonce: string): string {
  // React's development build needs eval for its error overlay.
  const evaluation = env().NODE_ENV === 'development' ? " 'unsafe-eval'" : ''
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${evaluation}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] }
