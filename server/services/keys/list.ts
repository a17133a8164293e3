import { forbidden } from '../../auth/can'
import { listApiKeys } from '../../store/postgres/api-keys'
import type { Ctx } from '../context'
import type { ApiKeyView } from '../views'
import { keyView } from './view'

/** One's own keys, newest first. */
export async function listKeys({ db, principal }: Ctx): Promise<ApiKeyView[]> {
  if (principal.via.kind === 'api_key') throw forbidden(principal, null)
  return (await listApiKeys(db, principal.person.id)).map(keyView)
}
