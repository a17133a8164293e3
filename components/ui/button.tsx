import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from './cn'

const button = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:pointer-events-none disabled:opacity-55 aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-primary text-primary-foreground hover:bg-primary/90',
        secondary: 'border bg-card text-foreground hover:bg-accent hover:text-accent-foreground',
        ghost: 'text-foreground hover:bg-accent hover:text-accent-foreground',
        destructive: 'bg-destructive text-destructive-foreground hover:bg-destructive/90',
        link: 'text-primary underline underline-offset-4 hover:no-underline',
      },
      size: { md: 'min-h-10 px-4 text-sm', sm: 'min-h-8 px-3 text-sm', lg: 'min-h-11 px-5 text-base', icon: 'size-10' },
    },
    defaultVariants: { variant: 'primary', size: 'md' },
  },
)

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof button> & { /** draw the child (a link) as a button */ asChild?: boolean }

/** A button, `type="button"` unless said otherwise: a forgotten type must not submit a form. */
export function Button({ className, variant, size, asChild, type, ...props }: ButtonProps) {
  const classes = cn(button({ variant, size }), className)
  return asChild ? <Slot.Root className={classes} {...props} /> : <button type={type ?? 'button'} className={classes} {...props} />
}
