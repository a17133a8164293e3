import { container } from '@/server/container/web'

export const dynamic = 'force-dynamic'

/** 200 while the database answers; the supervisor asks. */
export async function GET(): Promise<Response> {
  try {
    await container().pool.query('SELECT 1')
    return Response.json({ ok: true })
  } catch {
    return Response.json({ ok: false }, { status: 503 })
  }
}
