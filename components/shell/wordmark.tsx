import { cn } from '@/components/ui/cn'

/** A clew is a ball of thread: the one that leads out of the maze. */
export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2 font-semibold tracking-tight', className)}>
      <svg
        viewBox="0 0 28 24"
        className="h-6 w-7 text-primary"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        aria-hidden
      >
        <circle cx="11" cy="11" r="8.6" />
        <path d="M3.6 7.2c4.6-1.5 10.5 1.3 14.2 7.6" />
        <path d="M2.6 12.4c4.9-1.7 9.9.8 12.6 6.1" />
        <path d="M6.9 3.5c5.1-.7 10 2.3 12.5 7.8" />
        <path d="M11 19.6c3.4 2.7 6.2 2.6 8.6 1.2 2.2-1.3 3.9-1.4 6.6-.1" />
      </svg>
      <span className="text-lg">Clew</span>
    </span>
  )
}
