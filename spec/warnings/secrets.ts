import { isObject, type Json } from '../json'
import type { Path } from '../problems'
import type { Warn } from './codes'

/** Names that hold credentials, alone or as the last part of a longer name; not `token_count` or `password_hint`. */
const NAMES = /(^|[_.-])(password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key|credentials?|client_?secret)$/

/** Shapes of credentials of widespread services, which stand in texts by mistake only. */
const SHAPES = [
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{50,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b[sr]k_(live|test)_[A-Za-z0-9]{16,}\b/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{3,100}@/,
]
/** What stands for a value rather than being one. */
const PLACEHOLDER = /^(.)\1*$|^[<[{(].*[>\]})]$|example|placeholder|change.?me|your[_ -]|^(none|null|todo|dummy|test)$/i

/** Texts anywhere in a document that look like credentials. The messages never repeat them. */
export function checkSecrets(value: Json, path: Path, warn: Warn, name = ''): void {
  if (Array.isArray(value)) value.forEach((item, i) => checkSecrets(item, [...path, i], warn, name))
  // A field's default belongs to the field's name.
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value))
      checkSecrets(inner, [...path, key], warn, key === 'default' || key === 'enum' ? name : key)
  if (typeof value !== 'string' || value.startsWith('${')) return
  if (SHAPES.some((shape) => shape.test(value.slice(0, 10_000)))) warn('secret_literal', path, 'this looks like a key or password', HINT)
  else if (isNamed(name) && isValue(value))
    warn('secret_literal', path, `'${name.slice(0, 60)}' looks like a place for a secret, and its value stands here`, HINT)
}

const HINT = "everybody who may see the workflow sees it: let the tool take its secrets from the platform, or make it a 'secret' input"

const isNamed = (name: string) => NAMES.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase())
/** One word of some length; sentences and names of things are not secrets. */
const isValue = (value: string) => value.length >= 8 && !/\s/.test(value) && !PLACEHOLDER.test(value)
