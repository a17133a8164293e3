import type { ComponentProps } from 'react'
import { cn } from './cn'

type BadgeProps = ComponentProps<'span'> & { /** any colour, best a token as `var(--status-running)`; absent: neutral */ tone?: string }

/** A small word in a quiet frame. The colour only supports the word. */
export function Badge({ className, tone, style, ...props }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap [&_svg]:size-3.5 [&_svg]:shrink-0',
        tone ? 'bg-(--tone)/11 text-(--tone)' : 'bg-muted text-muted-foreground',
        className,
      )}
      style={tone ? { '--tone': tone, ...style } : style}
      {...props}
    />
  )
}
