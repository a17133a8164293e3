import { hkdfSync } from 'node:crypto'

/** What a subkey is for. Each is independent of the others: one that leaks says nothing about the rest. */
export type KeyPurpose = 'session' | 'setup' | 'sealing'

/** A 256-bit subkey of `CLEW_SECRET`, as base64url (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: string, purpose: KeyPurpose): string {
  return Buffer.from(hkdfSync('sha256', secret, '', `clew ${purpose} 1`, 32)).toString('base64url')
}
