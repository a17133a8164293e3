import { afterEach, expect, it, vi } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { loadDrawer } from './render'

const ids = vi.hoisted((): string[] => [])
const styles = vi.hoisted((): string[] => [])
vi.mock('mermaid', () => ({
  default: {
    initialize: ({ themeCSS }: { themeCSS: string }) => void styles.push(themeCSS),
    render: (id: string) => {
      ids.push(id)
      return Promise.resolve({ svg: `<svg id="${id}"></svg>` })
    },
  },
}))
afterEach(() => vi.unstubAllGlobals())

it('never draws into the drawing on show: each drawing has its own id', async () => {
  vi.stubGlobal('document', { body: {} })
  vi.stubGlobal('getComputedStyle', () => ({ fontFamily: 'serif' }))
  const spec: WorkflowSpec = { spec: 1, slug: 'a', title: 'A', steps: [{ id: 'a', uses: 'approve', after: [], role: 'r' }] }
  const drawer = await loadDrawer()
  const box = {} as Element
  const [one, two] = await Promise.all([drawer.draw(spec, undefined, undefined, box), drawer.draw(spec, undefined, undefined, box)])
  expect(new Set(ids).size).toBe(2)
  expect(one).not.toBe(two)
})

it('colours outlines that are groups of paths too: the theme has a light colour for these, and the words on it may be light', () => {
  const filled = (styles[0] ?? '').split('}').filter((rule) => rule.includes('label-container'))
  expect(filled.length).toBeGreaterThan(5)
  for (const rule of filled) expect(rule).toMatch(/^(\S+) \.label-container,\1 \.label-container path\{fill:/)
})
