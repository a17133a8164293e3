import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'

/** Below a list of pages: the next one, and why it could not be loaded. `what`: "runs". */
export function LoadMore({
  what,
  error,
  loading,
  more,
}: {
  what: string
  error: string | null
  loading: boolean
  more: (() => Promise<void>) | null
}) {
  return (
    <>
      {error !== null && (
        <Alert tone="error" live className="mt-4" title={`The next ${what} could not be loaded.`}>
          {error}
        </Alert>
      )}
      {more !== null && (
        <div className="mt-4 text-center">
          <Button variant="secondary" disabled={loading} onClick={() => void more()}>
            {loading ? 'Loading…' : 'Load more'}
          </Button>
        </div>
      )}
    </>
  )
}
