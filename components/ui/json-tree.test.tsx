import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { Json } from '@/spec'
import { JsonTree } from './json-tree'

/** `depth` arrays around `core`. */
const nested = (depth: number, core: Json): Json => Array.from({ length: depth }).reduce<Json>((inner) => [inner], core)
const boxes = (html: string) => html.split('<details').length - 1

describe('a tree of JSON', () => {
  it('draws no more of 4,000 nested arrays than is unfolded', () => {
    const html = renderToString(<JsonTree value={nested(4_000, 'core')} depth={2} />)
    expect(boxes(html)).toBe(3)
    expect(html.length).toBeLessThan(5_000)
  })

  it.each([4_000, 500_000])(
    'unfolded altogether, ends %d nested arrays in the beginning of their text, and never in a spent stack',
    (depth) => {
      const html = renderToString(<JsonTree value={{ deep: nested(depth, 'core') }} depth={Infinity} />)
      expect(boxes(html)).toBe(50)
      expect(html).toContain(`${'['.repeat(300)}…`)
      expect(html).not.toContain('core')
    },
  )

  it('clips what lies below the levels it draws, and shows it whole where it is short', () => {
    const short = renderToString(<JsonTree value={nested(50, { b: [1, 'two'], c: {} })} depth={Infinity} />)
    expect(short.replaceAll('&quot;', '"')).toContain('>{"b":[1,"two"],"c":{}}<')
    const sevens = Array.from({ length: 1_000 }, () => 7)
    const long = renderToString(<JsonTree value={nested(50, sevens)} depth={Infinity} />)
    expect(long).toContain(`>${`[${'7,'.repeat(150)}`.slice(0, 300)}…<`)
  })

  it('draws what is unfolded as it always did', () => {
    const html = renderToString(<JsonTree value={{ a: 1, none: [], far: { away: true } }} depth={1} />)
    for (const text of ['a<!-- -->:', '>1<', '>[ ]<', '>{1}<']) expect(html).toContain(text)
    expect(html).not.toContain('away')
  })
})
