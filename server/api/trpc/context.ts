import { principalOfKey } from '../../auth/api-keys'
import type { Principal } from '../../auth/principal'
import { principalOfCookie } from '../../auth/session'
import { container } from '../../container/web'
import type { LiveCtx } from '../live'

/** Made once per request. */
export type ApiContext = Omit<LiveCtx, 'principal'> & { principal: Principal | null }

/** For the app: whoever the session cookie speaks for. */
export async function createWebContext(headers: Headers): Promise<ApiContext> {
  const { db, engine, changes } = container()
  const refresh = () => principalOfCookie(db, headers.get('cookie'))
  return { db, engine, changes, channel: 'web', refresh, principal: await refresh() }
}

/** For REST: whoever the API key speaks for. Cookies are never looked at. */
export async function createRestContext(headers: Headers): Promise<ApiContext> {
  const { db, engine, changes } = container()
  const refresh = () => principalOfKey(db, headers.get('authorization'))
  return { db, engine, changes, channel: 'rest', refresh, principal: await refresh() }
}
