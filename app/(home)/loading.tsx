import { Loading } from '@/components/ui/loading'

export default function HomeLoading() {
  return <Loading what="your overview" />
}
