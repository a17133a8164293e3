import { CompassIcon } from 'lucide-react'
import Link from 'next/link'
import { Button } from '@/components/ui/button'
import { EmptyState } from '@/components/ui/empty-state'
import { NOT_FOUND } from './title'

export const metadata = NOT_FOUND

/** The same words for what is not there and for what one may not know of. */
export default function NotFound() {
  return (
    <div className="pt-10">
      <h1 className="sr-only">Not found</h1>
      <EmptyState
        icon={<CompassIcon />}
        title="There is no such thing here, or you may not see it."
        action={
          <Button asChild>
            <Link href="/">Go home</Link>
          </Button>
        }
      >
        Check the address. If somebody sent it to you, ask them whether you are in their team.
      </EmptyState>
    </div>
  )
}
