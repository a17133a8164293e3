import type { Db } from '@/db/client'
import { isSetupOpen } from '../../auth/setup'

/** Whether the set-up page has anything to do for this link. */
export const checkSetup = async (db: Db, token: string): Promise<{ open: boolean }> => ({ open: await isSetupOpen(db, token) })
