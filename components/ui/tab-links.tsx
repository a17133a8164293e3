import Link from 'next/link'
import { cn } from './cn'

/** Tabs whose state is the address: plain links, so that each can be opened, shared and gone back to. */
export function TabLinks({
  label,
  tabs,
  current,
}: {
  label: string
  tabs: { key: string; title: string; href: string }[]
  current: string
}) {
  return (
    <nav aria-label={label} className="-mx-4 overflow-x-auto border-b px-4 sm:mx-0 sm:px-0">
      <ul className="flex gap-1">
        {tabs.map((tab) => (
          <li key={tab.key}>
            <Link
              href={tab.href}
              scroll={false}
              aria-current={tab.key === current ? 'page' : undefined}
              className={cn(
                'inline-flex min-h-10 items-center border-b-2 px-3 text-sm font-medium whitespace-nowrap -outline-offset-2 transition-colors',
                tab.key === current ? 'border-primary text-foreground' : 'border-transparent text-muted-foreground hover:text-foreground',
              )}
            >
              {tab.title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
