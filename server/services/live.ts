export type { Change, Changes } from '../store/postgres/changes'
