import type { Metadata } from 'next'
import { Markdown } from '@/components/docs/markdown'
import { outlineOf } from '@/components/docs/outline'
import { TableOfContents } from '@/components/docs/table-of-contents'
import { referencePage } from '../reference'

export const metadata: Metadata = { title: 'Workflow spec 1' }

/** The contract is public: nobody needs to sign in to read it. */
export default async function SpecReferencePage() {
  const tokens = await referencePage('spec')
  return (
    <div className="lg:grid lg:grid-cols-[13rem_minmax(0,1fr)] lg:gap-10">
      <TableOfContents headings={outlineOf(tokens)} />
      <article className="min-w-0">
        <Markdown tokens={tokens} />
      </article>
    </div>
  )
}
