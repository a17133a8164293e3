import { z } from 'zod'
import type { Db } from '@/db/client'
import { audit } from '../../auth/audit'
import { hashPassword } from '../../auth/passwords'
import { limitTries } from '../../auth/rate-limit'
import { hashSetupToken, isSetupOpen } from '../../auth/setup'
import { notFound } from '../../errors'
import { completeSetup } from '../../store/postgres/setup-tokens'
import { name, text } from '../input'

export const completeSetupInput = z.object({
  token: text(100),
  orgName: name('Please name your organisation.'),
  teamName: name('Please name your first team.'),
  name: name('Please say your name.'),
  email: text(254).trim().pipe(z.email('This is no e-mail address.')),
  password: text(1024).min(12, 'Please use at least 12 characters.'),
})

/** Makes the first organisation, its first team and that team's owner, who is also the org's admin. Once. */
export async function completeFirstSetup(db: Db, { token, ...input }: z.output<typeof completeSetupInput>): Promise<{ team: string }> {
  await limitTries(db, 'setup', '')
  if (!(await isSetupOpen(db, token))) throw notFound()
  const team = slugOf(input.teamName, 'team')
  const made = await completeSetup(db, hashSetupToken(token), {
    orgName: input.orgName,
    orgSlug: slugOf(input.orgName, 'org'),
    teamName: input.teamName,
    teamSlug: team,
    name: input.name,
    email: input.email,
    passwordHash: await hashPassword(input.password),
  })
  if (!made) throw notFound()
  await audit(db, made.userId, { orgId: made.orgId, teamId: null }, 'setup.completed', { type: 'org', id: made.orgId }, {})
  return { team }
}

/** A name as it stands in addresses: `Équipe Nord` is `equipe-nord`. */
function slugOf(name: string, otherwise: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const slug = plain
    .replace(/^[^a-z]+/, '')
    .slice(0, 60)
    .replace(/-+$/, '')
  return slug.length >= 2 ? slug : otherwise
}
