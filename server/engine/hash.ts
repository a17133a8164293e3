import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Json } from '@/spec'

/** SHA-256 of a value's text, in hexadecimal. */
export function hashOf(value: Json): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(value))))
}

/** A UUID (version 8, RFC 9562) that follows from the text: the same text, the same id. */
export function uuidOf(text: string): string {
  const hash = bytesToHex(sha256(utf8ToBytes(text)))
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')
}
