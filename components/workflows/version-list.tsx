import Link from 'next/link'
import { sourceWords } from '@/components/messages'
import type { Answers } from '@/components/shell/trpc'
import { Badge } from '@/components/ui/badge'
import { Card } from '@/components/ui/card'
import { RelativeTime } from '@/components/ui/relative-time'

type Versions = Answers['workflows']['get']['versions']

/** Every version that was published, newest first. Versions never change: a run keeps the one it started with. */
export function VersionList({ base, versions, current, shown }: { base: string; versions: Versions; current: number; shown: number }) {
  return (
    <Card>
      <ul className="divide-y px-5">
        {versions.map(({ version, source, createdAt, createdBy }) => (
          <li key={version} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-3">
            <Link
              href={version === current ? base : `${base}?version=${version}`}
              aria-current={version === shown ? 'true' : undefined}
              className="font-medium underline-offset-4 hover:underline"
            >
              Version {version}
            </Link>
            {version === current && <Badge tone="var(--status-succeeded)">In use</Badge>}
            {version === shown && version !== current && <Badge>Shown</Badge>}
            <span className="grow text-sm text-muted-foreground">{createdBy ? `published by ${createdBy}` : sourceWords(source)}</span>
            <RelativeTime at={createdAt} className="text-sm text-muted-foreground" />
          </li>
        ))}
      </ul>
    </Card>
  )
}
