import { z } from 'zod'
import { forbidden } from '../../auth/can'
import { loadPrincipal } from '../../auth/principal'
import { notFound } from '../../errors'
import { updatePerson } from '../../store/postgres/people'
import type { Ctx } from '../context'
import { name, text } from '../input'
import type { MeView } from '../views'
import { getMe } from './get'

export const updateMeInput = z.object({
  name: name('Please say your name.').optional(),
  locale: text(35).refine(isLocale, 'This is no language tag, such as en or pt-BR.').optional(),
  timeZone: text(100).refine(isTimeZone, 'This is no time zone, such as Europe/Berlin.').optional(),
})

/** Changes one's own name, language or time zone. An API key may not. */
export async function updateMe({ db, principal }: Ctx, input: z.output<typeof updateMeInput>): Promise<MeView> {
  if (principal.via.kind === 'api_key') throw forbidden(principal, null)
  await updatePerson(db, principal.person.id, input)
  const fresh = await loadPrincipal(db, principal.person.id, principal.via)
  if (!fresh) throw notFound()
  return getMe({ principal: fresh })
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function isTimeZone(name: string): boolean {
  try {
    return name.length > 0 && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
