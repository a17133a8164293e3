import { describe, expect, test } from 'vitest'
import { createSealer } from './sealer'

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(32)]

describe('what is sealed', () => {
  const sealer = createSealer(NEW)

  test('opens to the text that it was, and only for what it is about', () => {
    const sealed = sealer.seal('é \u0000 🔑', 'run 1')
    expect(sealer.open(sealed, 'run 1')).toEqual({ ok: true, text: 'é \u0000 🔑' })
    expect(sealer.open(sealed, 'run 2')).toMatchObject({ ok: false, why: 'damaged' })
    expect(sealer.open(sealer.seal('', 'run 1'), 'run 1')).toEqual({ ok: true, text: '' })
  })

  test('says nothing of the text, and is another envelope each time', () => {
    const [one, two] = [sealer.seal('needle', 'x'), sealer.seal('needle', 'x')]
    expect(one).not.toBe(two)
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('needle')
  })

  test('does not open where a single bit was changed, or a part is missing', () => {
    const sealed = sealer.seal('needle', 'x')
    const [version, id, text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] = (changed[i] ?? 0) ^ 1
      expect(sealer.open([version, id, changed.toString('base64url')].join('.'), 'x'), `byte ${i}`).toMatchObject({ why: 'damaged' })
    }
    for (const cut of [`${version}.${id}.`, `${version}.${id}`, sealed.slice(0, -4)]) {
      expect(sealer.open(cut, 'x')).toMatchObject({ ok: false, why: 'damaged' })
    }
    for (const odd of ['', 'needle', `2.${id}.${text}`]) expect(sealer.open(odd, 'x')).toMatchObject({ ok: false, why: 'unknown_key' })
  })
})

describe('after CLEW_SECRET was changed', () => {
  const sealed = createSealer(OLD).seal('needle', 'x')

  test('an envelope names its key, and opens where that is among the retired ones', () => {
    const keyId = sealed.split('.')[1]
    expect(createSealer(NEW).open(sealed, 'x')).toEqual({ ok: false, why: 'unknown_key', keyId })
    expect(createSealer(NEW, ['another that is long enough to be one', OLD]).open(sealed, 'x')).toEqual({ ok: true, text: 'needle' })
  })

  test('what is sealed anew is sealed with the new key', () => {
    const anew = createSealer(NEW, [OLD]).seal('needle', 'x')
    expect(createSealer(NEW).open(anew, 'x')).toEqual({ ok: true, text: 'needle' })
    expect(createSealer(OLD).open(anew, 'x')).toMatchObject({ why: 'unknown_key' })
  })
})
