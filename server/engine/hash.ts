import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Json } from '@/spec'

/** SHA-256 of a value's text, in hexadecimal. */
export function hashOf(value: Json): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(value))))
}
