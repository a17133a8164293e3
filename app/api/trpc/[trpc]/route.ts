import { handleTrpc } from '@/server/api/trpc/handler'

export const dynamic = 'force-dynamic'
export { handleTrpc as GET, handleTrpc as POST }
