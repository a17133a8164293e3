import { list, post, reverse } from './ledger'

export const tools = [post, reverse, list]
