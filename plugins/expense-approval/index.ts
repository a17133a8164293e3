import { list, post, reverse } from './ledger'
import { expenseApproval } from './workflow'

export const tools = [post, reverse, list]
export const workflows = [expenseApproval]
