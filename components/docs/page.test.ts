import { describe, expect, it } from 'vitest'
import { readPage } from './page'

const htmlOf = (markdown: string) =>
  readPage(markdown)
    .blocks.map((block) => (block.type === 'html' ? block.html : '[example]'))
    .join('')

describe('a page of the docs', () => {
  it('lists its headings, with the anchors that its links lead to', () => {
    const { headings } = readPage('# A page\n\n## Start: `x` & more\n\n### re-drive it\n')
    expect(headings).toEqual([
      { id: 'a-page', title: 'A page', level: 1 },
      { id: 'start-x--more', title: 'Start: `x` & more', level: 2 },
      { id: 're-drive-it', title: 're-drive it', level: 3 },
    ])
    expect(htmlOf('## re-drive it')).toContain('<h2 id="re-drive-it"')
  })

  it('gives examples by themselves, with the section they stand in', () => {
    expect(readPage('## One\n\ntext\n\n```json\n{ "a": "<b>" }\n```\n\nmore').blocks).toMatchObject([
      { type: 'html' },
      { type: 'example', text: '{ "a": "<b>" }', language: 'json', section: 'One' },
      { type: 'html' },
    ])
  })

  it.each([
    ['html between paragraphs', 'a\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\nb'],
    ['html within a text', 'a <img src=x onerror=alert(1)> b'],
    ['a heading', '## <img src=x onerror=alert(1)> "quoted"\n\n| a |\n| - |\n| b |'],
    ['a cell', '| a |\n| - |\n| <img src=x onerror=alert(1)> |'],
    ['code', '`<img src=x onerror=alert(1)>`'],
    ['an image', '![x](https://example.com/x.png)'],
    ['a link that runs', '[a](javascript:alert(1)) [b](data:text/html,x) [c](//example.com) [d](http://example.com)'],
    ['a link out of its quotes', '[a](https://example.com/"onclick="alert(1))'],
  ])('leaves out what could act: %s', (_what, markdown) => {
    expect(htmlOf(markdown)).not.toMatch(/<(script|img)|<[^>]*"\s*on\w+=|href="(?!#|https:)/)
  })

  it.each([
    ['#limits', 'href="#limits"'],
    ['https://example.com/a?b=1&c', 'href="https://example.com/a?b=1&amp;c"'],
    ['../../public/schemas/workflow-1.json', 'href="/schemas/workflow-1.json"'],
  ])('a link to %s leads there', (to, href) => expect(htmlOf(`[a](${to})`)).toContain(href))

  it('a link to a file of the repository is only its words', () => {
    expect(htmlOf('see [the kit](../../spec/conformance/README.md).')).toMatch(/>see the kit\.</)
  })

  it('a table scrolls in a box that takes the focus', () => {
    expect(htmlOf('## One\n\n| a |\n| - |\n| `x \\| y` |')).toMatch(
      /<div role="group" aria-label="Table: One" tabindex="0".*\n?.*<code[^>]*>x \| y<\/code>/s,
    )
  })
})
