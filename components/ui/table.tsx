import type { ComponentProps } from 'react'
import { cn } from './cn'

/** A table that scrolls inside itself, never the page. Give it an `aria-label` or a `<caption>`. */
export function Table({ className, ...props }: ComponentProps<'table'>) {
  return (
    <div className="w-full overflow-x-auto">
      <table className={cn('w-full border-collapse text-sm', className)} {...props} />
    </div>
  )
}

export function Th({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={cn('border-b px-4 py-2.5 text-left text-xs font-medium whitespace-nowrap text-muted-foreground', className)}
      {...props}
    />
  )
}

export function Td({ className, ...props }: ComponentProps<'td'>) {
  return <td className={cn('border-b px-4 py-3 align-top', className)} {...props} />
}

export function Tr({ className, ...props }: ComponentProps<'tr'>) {
  return <tr className={cn('transition-colors hover:bg-muted/60 [tbody>&:last-child>td]:border-b-0', className)} {...props} />
}
