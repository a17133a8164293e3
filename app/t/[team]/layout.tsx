import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { load, serverApi } from '@/server/api/server'

/** A team one may not know of is not there: decided before anything is sent, so that the answer is a real 404. */
export default async function TeamLayout({ params, children }: { params: Promise<{ team: string }>; children: ReactNode }) {
  const { team } = await params
  const me = await load(async () => (await serverApi()).me.get())
  if (!me.teams.some((one) => one.slug === team)) notFound()
  return children
}
