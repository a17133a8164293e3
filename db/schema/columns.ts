import { customType, timestamp, uuid } from 'drizzle-orm/pg-core'
import type { Json } from '@/spec'

/**
 * Documents are `json`, never `jsonb`: `jsonb` reorders keys and refuses `\u0000` after an effect has happened.
 * The pools read `json` as raw text (see client.ts); these two types decide what becomes of it.
 */
export const jsonText = customType<{ data: string; driverData: string }>({ dataType: () => 'json' })

export const jsonValue = <T = Json>() =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'json',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (text) => JSON.parse(text) as T,
  })

export const id = () => uuid('id').primaryKey()
export const instant = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
export const createdAt = () => instant('created_at').notNull().defaultNow()
