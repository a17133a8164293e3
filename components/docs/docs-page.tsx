import { CopyButton } from '@/components/ui/copy-button'
import type { Block, DocsPage as Page } from './page'
import { TableOfContents } from './table-of-contents'

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
            <div key={block.place} dangerouslySetInnerHTML={{ __html: block.html }} />
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
        className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-6"
      >
        {text}
      </pre>
    </div>
  )
}
