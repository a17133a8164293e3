import { handleAuth } from '@/server/api/auth'

export const dynamic = 'force-dynamic'
export { handleAuth as GET, handleAuth as POST }
