import { afterEach, expect, it, vi } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { loadDrawer } from './render'

const ids = vi.hoisted((): string[] => [])
vi.mock('mermaid', () => ({
  default: {
    initialize: () => {},
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
