import { ChevronRightIcon } from 'lucide-react'
import { cn } from '@/components/ui/cn'
import type { Heading } from './page'

/** Where the page's sections are: folded above the text on a narrow screen, beside it on a wide one. */
export function TableOfContents({ headings }: { headings: readonly Heading[] }) {
  const listed = headings.filter(({ level }) => level === 2 || level === 3)
  return (
    <>
      <details className="group mb-6 rounded-xl border bg-card lg:hidden">
        <summary className="flex min-h-11 list-none items-center gap-2 rounded-xl px-4 font-medium [&::-webkit-details-marker]:hidden">
          <ChevronRightIcon aria-hidden className="size-4 transition-transform group-open:rotate-90" /> On this page
        </summary>
        <nav aria-label="On this page" className="px-4 pb-4">
          <Sections headings={listed} />
        </nav>
      </details>
      <nav aria-label="On this page" className="sticky top-20 hidden max-h-[calc(100dvh-6rem)] self-start overflow-y-auto pb-6 lg:block">
        <p className="mb-2 text-sm font-medium">On this page</p>
        <Sections headings={listed} />
      </nav>
    </>
  )
}

function Sections({ headings }: { headings: readonly Heading[] }) {
  return (
    <ul className="grid gap-0.5 text-sm">
      {headings.map(({ id, title, level }) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className={cn('block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline', level === 3 && 'pl-4')}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  )
}
