import { CircleAlertIcon, CircleCheckIcon, InfoIcon, TriangleAlertIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn'

const tones = {
  info: { tone: 'var(--status-running)', Icon: InfoIcon },
  success: { tone: 'var(--status-succeeded)', Icon: CircleCheckIcon },
  warning: { tone: 'var(--status-awaiting)', Icon: TriangleAlertIcon },
  error: { tone: 'var(--status-parked)', Icon: CircleAlertIcon },
}

type AlertProps = {
  tone?: keyof typeof tones
  title?: ReactNode
  children?: ReactNode
  className?: string
  /** announce it at once: for what appears after an action */ live?: boolean
}

/** Says what happened, what was not lost, and what to do. */
export function Alert({ tone = 'info', title, children, className, live }: AlertProps) {
  const { tone: colour, Icon } = tones[tone]
  return (
    <div
      role={live ? (tone === 'error' ? 'alert' : 'status') : undefined}
      style={{ '--tone': colour }}
      className={cn('flex gap-3 rounded-lg border border-(--tone)/35 bg-(--tone)/7 px-4 py-3 text-sm', className)}
    >
      <Icon className="mt-0.5 size-4 shrink-0 text-(--tone)" aria-hidden />
      <div className="grid min-w-0 gap-1">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  )
}
