import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Sealer } from '../engine/ports'
import { deriveKey } from './keys'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = '1'

type Key = { id: string; key: Buffer }

/**
 * Seals with AES-256-GCM under a subkey of `secret`; what it is about is authenticated with it. An envelope is `1.<key id>.<base64url>`; the
 * key id follows from the key, so nobody has to name keys. `retired`: former secrets, which still open what was sealed with them.
 */
export function createSealer(secret: string, retired: readonly string[] = []): Sealer {
  const current = keyOf(secret)
  const keys = new Map([...retired.map(keyOf), current].map(({ id, key }) => [id, key]))
  return {
    seal(text, about) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, current.key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${VERSION}.${current.id}.${sealed.toString('base64url')}`
    },
    open(envelope, about) {
      const [version, keyId = '', text = ''] = envelope.split('.')
      const key = keys.get(keyId)
      if (version !== VERSION || !key) return { ok: false, why: 'unknown_key', keyId }
      const sealed = Buffer.from(text, 'base64url')
      if (sealed.length < IV_BYTES + TAG_BYTES) return { ok: false, why: 'damaged', keyId }
      try {
        const iv = sealed.subarray(0, IV_BYTES)
        const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(about))
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
        const opened = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
        return { ok: true, text: opened.toString('utf8') }
      } catch {
        return { ok: false, why: 'damaged', keyId }
      }
    },
  }
}

function keyOf(secret: string): Key {
  const key = Buffer.from(deriveKey(secret, 'sealing'), 'base64url')
  return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), key }
}
