'use client'

import { useEffect, useRef } from 'react'
import { useReturn } from '@/components/shell/use-return'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'

/** A page could not be drawn. Runs go on in the worker whatever happens to a page: say so. */
export default function ErrorPage({ error }: { error: Error & { digest?: string } }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const away = useReturn() === 'away'
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="mx-auto grid max-w-lg gap-5 pt-8">
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none">
        {away ? 'The database does not answer' : 'This page could not be shown'}
      </h1>
      <p role="status">
        {away
          ? 'This page tries again by itself. Nothing was lost: what was started goes on as soon as it can, and you stay signed in.'
          : 'Something went wrong on our side. Nothing was lost: what you started goes on, and what was saved is still there.'}
      </p>
      <div>
        <Button onClick={() => window.location.reload()}>{away ? 'Try now' : 'Load it again'}</Button>
      </div>
      {error.digest && !away && (
        <Alert>
          <p>
            If it stays like this, tell whoever operates Clew this code: <code>{error.digest}</code>
          </p>
        </Alert>
      )}
    </div>
  )
}
