'use client'

import { XIcon } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn'

export const Dialog = Radix.Root
export const DialogTrigger = Radix.Trigger
export const DialogClose = Radix.Close

type DialogContentProps = Omit<ComponentProps<typeof Radix.Content>, 'title'> & { title: string; description?: ReactNode }

/** The panel: a title always, since a dialog without a name says nothing to a screen reader. */
export function DialogContent({ title, description, className, children, ...props }: DialogContentProps) {
  return (
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
      <Radix.Content
        className={cn(
          'animate-appear fixed top-1/2 left-1/2 z-50 grid max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 -translate-y-1/2 gap-4 overflow-y-auto rounded-xl border bg-popover p-6 text-popover-foreground shadow-xl',
          className,
        )}
        {...(description ? {} : { 'aria-describedby': undefined })}
        onCloseAutoFocus={keepFocus}
        {...props}
      >
        <div className="grid gap-1.5 pr-8">
          <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
          {description && <Radix.Description className="text-sm text-muted-foreground">{description}</Radix.Description>}
        </div>
        {children}
        <Radix.Close className="absolute top-4 right-4 rounded-md p-1.5 text-muted-foreground hover:bg-accent hover:text-accent-foreground">
          <XIcon className="size-4" aria-hidden />
          <span className="sr-only">Close</span>
        </Radix.Close>
      </Radix.Content>
    </Radix.Portal>
  )
}

/** The button that opened a dialog may be gone with what the dialog did: then the focus goes to the page, not to nowhere. */
function keepFocus() {
  queueMicrotask(() => {
    if (document.activeElement === null || document.activeElement === document.body) document.getElementById('main')?.focus()
  })
}

export function DialogFooter({ className, ...props }: ComponentProps<'div'>) {
  return <div className={cn('flex flex-wrap justify-end gap-2', className)} {...props} />
}
