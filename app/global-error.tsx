'use client'

import { useReturn } from '@/components/shell/use-return'
import './globals.css'

/** Even the frame around the pages failed, most likely because the database does not answer. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  const away = useReturn() === 'away'
  return (
    <html lang="en">
      <body>
        <title>Clew</title>
        <main className="mx-auto grid max-w-lg gap-4 px-4 pt-16">
          <h1 className="text-2xl font-semibold">{away ? 'The database does not answer' : 'Clew cannot answer right now'}</h1>
          <p role="status">
            {away
              ? 'This page tries again by itself. Nothing was lost: what was started goes on as soon as it can, and you stay signed in.'
              : 'Nothing was lost: what was started goes on as soon as it can. Please try again in a moment.'}
          </p>
          <p>
            <button
              type="button"
              onClick={() => window.location.reload()}
              className="min-h-10 rounded-md bg-primary px-4 text-sm font-medium text-primary-foreground"
            >
              {away ? 'Try now' : 'Try again'}
            </button>
          </p>
          {error.digest && !away && (
            <p className="text-sm text-muted-foreground">
              If it stays like this, tell whoever operates Clew this code: <code>{error.digest}</code>
            </p>
          )}
        </main>
      </body>
    </html>
  )
}
