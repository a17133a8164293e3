import type { Metadata } from 'next'
import { DocsPage } from '@/components/docs/docs-page'
import { referencePage } from '../reference'

export const metadata: Metadata = { title: 'Workflow spec 1' }

/** The contract is public: nobody needs to sign in to read it. */
export default async function SpecReferencePage() {
  return <DocsPage page={await referencePage('spec')} />
}
