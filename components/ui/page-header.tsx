import { ChevronRightIcon } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'

type PageHeaderProps = {
  title: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  /** the way here, outermost first */ crumbs?: { title: string; href: string }[]
}

/** The page's h1 with the way to it, a line of explanation and its main actions. */
export function PageHeader({ title, lead, actions, crumbs }: PageHeaderProps) {
  return (
    <header className="mb-6 grid grid-cols-1 gap-2">
      {crumbs && crumbs.length > 0 && (
        <nav aria-label="Breadcrumb">
          <ol className="flex flex-wrap items-center gap-1 text-sm text-muted-foreground">
            {crumbs.map((crumb, index) => (
              <li key={crumb.href} className="flex items-center gap-1">
                {index > 0 && <ChevronRightIcon className="size-3.5" aria-hidden />}
                <Link href={crumb.href} className="rounded-sm hover:text-foreground hover:underline">
                  {crumb.title}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 grid-cols-1 gap-1">
          <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
          {lead && <div className="max-w-prose text-pretty text-muted-foreground">{lead}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    </header>
  )
}
