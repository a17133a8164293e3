import type { ComponentProps } from 'react'
import { cn } from './cn'

const box =
  'w-full min-w-0 rounded-md border border-input bg-card px-3 text-base text-foreground transition-colors placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-destructive sm:text-sm'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(box, 'h-10', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(box, 'min-h-24 py-2 leading-relaxed', className)} {...props} />
}

/** The browser's own select: it works with every keyboard, phone and screen reader. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select className={cn(box, 'h-10 pr-8', className)} {...props} />
}

function Label({ className, ...props }: ComponentProps<'label'>) {
  return <label className={cn('text-sm font-medium', className)} {...props} />
}

/** A labelled control with help and an error beside it. `children` gets the ids to wire up. */
export function FormField({
  id,
  label,
  help,
  error,
  optional,
  children,
}: {
  id: string
  label: string
  help?: string
  error?: string | null
  optional?: boolean
  children: (wiring: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean | undefined }) => React.ReactNode
}) {
  const described = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className="grid content-start gap-1.5">
      <Label htmlFor={id}>
        {label} {optional && <span className="font-normal text-muted-foreground">(optional)</span>}
      </Label>
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined })}
      {help && (
        <p id={`${id}-help`} className="text-sm text-muted-foreground">
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-sm text-destructive">
          {error}
        </p>
      )}
    </div>
  )
}
