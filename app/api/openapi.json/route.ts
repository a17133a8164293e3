import { openApiDocument } from '@/server/api/rest'

export const dynamic = 'force-dynamic'
export { openApiDocument as GET }
