import { randomBytes } from 'node:crypto'
import { NextResponse, type NextRequest } from 'next/server'
import { env } from '@/server/env'

/** Headers of every page and answer. Scripts run only with this request's nonce; styles may be inline, as diagrams need it. */
export function proxy(request: NextRequest): NextResponse {
  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'))
  const headers = new Headers(request.headers)
  // Next reads the nonce from here and puts it on its own scripts.
  headers.set('content-security-policy', policy)
  headers.set('x-clew-path', request.nextUrl.pathname + request.nextUrl.search)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  response.headers.set('referrer-policy', 'same-origin')
  response.headers.set('x-content-type-options', 'nosniff')
  response.headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=()')
  return response
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
