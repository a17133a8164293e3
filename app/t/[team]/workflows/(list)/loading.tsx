import { Loading } from '@/components/ui/loading'

export default function WorkflowsLoading() {
  return <Loading what="the workflows" />
}
