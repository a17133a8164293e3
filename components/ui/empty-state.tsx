import type { ReactNode } from 'react'
import { cn } from './cn'

/** Nothing is here, and what to do next. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  className,
}: {
  icon?: ReactNode
  title: string
  children?: ReactNode
  action?: ReactNode
  className?: string
}) {
  return (
    <div className={cn('flex flex-col items-center gap-2 px-6 py-10 text-center', className)}>
      {icon && (
        <div className="mb-1 text-muted-foreground [&_svg]:size-7 [&_svg]:stroke-[1.5]" aria-hidden>
          {icon}
        </div>
      )}
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-prose text-sm text-pretty text-muted-foreground">{children}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}
