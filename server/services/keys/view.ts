import type { ApiKeyRow } from '../../store/postgres/api-keys'
import type { ApiKeyView } from '../views'

export const keyView = ({ createdAt, expiresAt, lastUsedAt, revokedAt, ...key }: ApiKeyRow): ApiKeyView => ({
  ...key,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  revoked: revokedAt !== null,
})
