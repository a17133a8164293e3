import type { Metadata } from 'next'
import { ApiKeys } from '@/components/settings/api-keys'
import { ProfileForm } from '@/components/settings/profile-form'
import { PageHeader } from '@/components/ui/page-header'
import { load, serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Settings' }

const LOCALES = [
  'en',
  'en-GB',
  'cs',
  'da',
  'de',
  'es',
  'fi',
  'fr',
  'is',
  'it',
  'ja',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'sv',
  'tr',
  'uk',
  'zh',
]

/** Languages by their own names, the person's own choice included. */
function languages(own: string): { code: string; name: string }[] {
  return [...new Set([...LOCALES, own])].map((code) => ({
    code,
    name: new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code,
  }))
}

export default async function SettingsPage() {
  const { me, keys } = await load(async () => {
    const api = await serverApi()
    const [me, keys] = await Promise.all([api.me.get(), api.keys.list()])
    return { me, keys }
  })
  const zones = [...new Set(['UTC', me.timeZone, ...Intl.supportedValuesOf('timeZone')])].sort()
  return (
    <>
      <PageHeader title="Settings" />
      <div className="grid max-w-3xl gap-6">
        <ProfileForm me={me} languages={languages(me.locale)} zones={zones} />
        <ApiKeys keys={keys} teams={me.teams} />
      </div>
    </>
  )
}
