import { countApprovals } from '../../services/approvals/count'
import { decideApproval, decideApprovalInput } from '../../services/approvals/decide'
import { getApproval, getApprovalInput } from '../../services/approvals/get'
import { listApprovals, listApprovalsInput } from '../../services/approvals/list'
import { authed, router } from './init'

export const approvals = router({
  list: authed.input(listApprovalsInput).query(({ ctx, input }) => listApprovals(ctx, input)),
  get: authed.input(getApprovalInput).query(({ ctx, input }) => getApproval(ctx, input)),
  decide: authed.input(decideApprovalInput).mutation(({ ctx, input }) => decideApproval(ctx, input)),
  count: authed.query(({ ctx }) => countApprovals(ctx)),
})
