import { Loading } from '@/components/ui/loading'

export default function SettingsLoading() {
  return <Loading what="your settings" />
}
