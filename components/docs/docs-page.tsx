import { CopyButton } from '@/components/ui/copy-button'
import type { Block, DocsPage as Page } from './page'
import { TableOfContents } from './table-of-contents'

/** How the HTML of `readPage` looks. Said here once: a class on every cell would be half of the page. */
const PROSE = [
  '[&_h1]:text-2xl [&_h1]:font-semibold [&_h1]:tracking-tight',
  '[&_h2]:mt-12 [&_h2]:mb-3 [&_h2]:border-t [&_h2]:pt-8 [&_h2]:text-xl [&_h2]:font-semibold',
  '[&_h3]:mt-8 [&_h3]:mb-2 [&_h3]:text-base [&_h3]:font-semibold',
  '[&_h4]:mt-6 [&_h4]:mb-2 [&_h4]:font-semibold',
  '[&_a]:rounded-sm [&_:is(p,li,td)_a]:text-primary [&_:is(p,li,td)_a]:underline [&_:is(p,li,td)_a]:underline-offset-2',
  '[&_:is(h2,h3,h4)_a:hover]:underline',
  '[&_:is(p,ul,ol)]:my-3 [&_:is(p,ul,ol)]:max-w-[75ch] [&_p]:text-pretty [&_:is(ul,ol)]:space-y-1.5 [&_:is(ul,ol)]:pl-6',
  '[&_ul]:list-disc [&_ol]:list-decimal [&_li]:marker:text-muted-foreground',
  '[&_code]:rounded-sm [&_code]:bg-muted [&_code]:px-1 [&_code]:py-0.5 [&_code]:font-mono [&_code]:text-[0.8125rem]',
  '[&_[role=group]]:my-4 [&_[role=group]]:overflow-x-auto [&_[role=group]]:rounded-xl [&_[role=group]]:border [&_[role=group]]:more-sideways',
  '[&_table]:w-full [&_table]:border-collapse [&_table]:text-sm',
  '[&_th]:border-b [&_th]:px-4 [&_th]:py-2.5 [&_th]:text-left [&_th]:text-xs [&_th]:font-medium [&_th]:whitespace-nowrap [&_th]:text-muted-foreground',
  '[&_td]:border-b [&_td]:px-4 [&_td]:py-2 [&_td]:align-top [&_tr:last-child>td]:border-b-0 [&_td:first-child_code]:whitespace-nowrap',
].join(' ')

/** A page of the docs, with its table of contents. */
export function DocsPage({ page }: { page: Page }) {
  return (
    <div className="lg:grid lg:grid-cols-[13rem_minmax(0,1fr)] lg:gap-10">
      <TableOfContents headings={page.headings} />
      <article className="min-w-0">
        {page.blocks.map((block) =>
          block.type === 'example' ? (
            <Example key={block.place} {...block} />
          ) : (
            // Made by `readPage` of a file of the project, without any HTML that stands in it.
            <div key={block.place} className={PROSE} dangerouslySetInnerHTML={{ __html: block.html }} />
          ),
        )}
      </article>
    </div>
  )
}

function Example({ text, language, section }: Extract<Block, { type: 'example' }>) {
  return (
    <div className="my-4 overflow-hidden rounded-xl border bg-card">
      <div className="flex items-center justify-between border-b py-1.5 pr-1.5 pl-4 text-xs text-muted-foreground">
        <span>{language === 'json' ? 'JSON' : 'Text'}</span>
        <CopyButton text={text} />
      </div>
      {/* Scrolled with the arrow keys, so it takes the focus. */}
      <pre
        role="group"
        aria-label={`Example: ${section}`}
        tabIndex={0}
        className="more-sideways overflow-x-auto p-4 font-mono text-[0.8125rem] leading-6"
      >
        {text}
      </pre>
    </div>
  )
}
