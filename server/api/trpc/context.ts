import type { Principal } from '../../auth/principal'
import type { Ctx } from '../../services/context'
import type { Changes } from '../live'

/** Made once per request. `refresh` reads the person's session and rights again: long streams ask it. */
export type ApiContext = Omit<Ctx, 'principal'> & { principal: Principal | null; changes: Changes; refresh: () => Promise<Principal | null> }
