import { workflowJsonSchema } from '@/spec'

export const dynamic = 'force-static'

/** The JSON Schema of spec 1, for editors and other programs. */
export const GET = () => Response.json(workflowJsonSchema(), { headers: { 'content-type': 'application/schema+json' } })
