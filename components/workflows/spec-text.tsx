import { applyEdits, format } from 'jsonc-parser'
import { BookOpenIcon, DownloadIcon } from 'lucide-react'
import Link from 'next/link'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { CopyButton } from '@/components/ui/copy-button'

/**
 * The document, laid out for reading: only whitespace is added to the canonical text that the hash is of. Parsing and printing it
 * anew would round large numbers and move keys that look like numbers.
 */
export function SpecText({ name, spec, hash }: { name: string; spec: string; hash: string }) {
  const text = `${applyEdits(spec, format(spec, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' }))}\n`
  return (
    <Card>
      <div className="flex flex-wrap items-center justify-between gap-3 border-b px-4 py-3">
        <p className="min-w-0 text-sm text-muted-foreground">
          SHA-256{' '}
          <code className="break-all" title={hash}>
            {hash.slice(0, 16)}…
          </code>
        </p>
        <div className="flex flex-wrap gap-2">
          <Button asChild variant="ghost" size="sm">
            <Link href="/docs/spec">
              <BookOpenIcon aria-hidden /> Reference
            </Link>
          </Button>
          <CopyButton text={text} />
          <Button asChild variant="secondary" size="sm">
            <a download={name} href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}>
              <DownloadIcon aria-hidden /> Download
            </a>
          </Button>
        </div>
      </div>
      {/* Scrolled with the arrow keys, so it takes the focus. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre role="region" aria-label="Spec" tabIndex={0} className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-6">
        {text}
      </pre>
    </Card>
  )
}
