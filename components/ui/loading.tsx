/** What a page shows while it is read. It says what, and only appears when that takes a moment. */
export function Loading({ what }: { what: string }) {
  return (
    <div role="status" className="animate-late grid gap-4 pt-1">
      <p className="text-sm text-muted-foreground">Loading {what}…</p>
      <div aria-hidden className="grid gap-3">
        {['w-1/3', 'w-full', 'w-11/12', 'w-2/3'].map((width) => (
          <div key={width} className={`h-9 animate-pulse rounded-md bg-muted ${width}`} />
        ))}
      </div>
    </div>
  )
}
