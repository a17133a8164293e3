import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { teamTitle } from '@/app/title'

type Props = { params: Promise<{ team: string }> }

export function generateMetadata({ params }: Props): Promise<Metadata> {
  return teamTitle(params, 'Workflows')
}

export default async function TeamPage({ params }: Props) {
  redirect(`/t/${encodeURIComponent((await params).team)}/workflows`)
}
