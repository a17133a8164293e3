import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

// OWASP's recommendation for scrypt: 32 MiB and about 100 ms for each try.
const COST = { N: 2 ** 15, r: 8, p: 3 }
const MAX_MEMORY = 64 * 1024 * 1024
const LENGTH = 32

/** `scrypt$N$r$p$salt$hash`, salt and hash as base64url. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password.normalize('NFKC'), salt, LENGTH, { ...cost, maxmem: MAX_MEMORY })
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Takes the same time whether there is such a person or not (`stored` null), and wherever the hashes differ. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (stored ?? NOBODY).split('$')
  const expected = Buffer.from(hash, 'base64url')
  const given = await derive(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), LENGTH, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    maxmem: MAX_MEMORY,
  })
  return timingSafeEqual(given, expected) && stored !== null
}

const NOBODY = ['scrypt', COST.N, COST.r, COST.p, Buffer.alloc(16).toString('base64url'), Buffer.alloc(LENGTH).toString('base64url')].join(
  '$',
)
