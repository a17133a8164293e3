import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { SignInForm } from '@/components/shell/sign-in-form'
import { currentPerson } from '@/app/person'
import { demoPeople } from '@/server/api/demo'
import { safeCallbackUrl } from '@/server/auth/callback-url'
import { env } from '@/server/env'

export const metadata: Metadata = { title: 'Sign in' }

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ callbackUrl?: string | string[] }> }) {
  const { callbackUrl } = await searchParams
  const next = safeCallbackUrl(typeof callbackUrl === 'string' ? callbackUrl : '/', env().CLEW_PUBLIC_URL)
  if (await currentPerson()) redirect(next)
  return (
    <div className="mx-auto grid max-w-sm gap-6">
      <div className="grid gap-1">
        <h1 className="text-2xl font-semibold tracking-tight">Sign in</h1>
        <p className="text-muted-foreground">Automations you can read before they run.</p>
      </div>
      <SignInForm next={next} people={await demoPeople()} />
    </div>
  )
}
