import { Marked, type MarkedExtension, type MarkedToken, type Tokens } from 'marked'

/** A heading that the table of contents lists. */
export interface Heading {
  id: string
  title: string
  /** 1: the page's own title. */
  level: number
}

/** What is drawn one after the other: prose and tables as HTML, made once, and examples, which can be copied. */
export type Block = { place: number } & (
  { type: 'html'; html: string } | { type: 'example'; text: string; language: string; section: string }
)

export interface DocsPage {
  headings: Heading[]
  blocks: Block[]
}

/** A page of `docs/` as it is drawn. HTML in its text is left out, so that nothing in it can become part of the page. */
export function readPage(markdown: string): DocsPage {
  const page: DocsPage = { headings: [], blocks: [] }
  let section = ''
  const marked = new Marked({ renderer: rendererOf(() => section) })
  for (const token of marked.lexer(markdown) as MarkedToken[]) {
    if (token.type === 'heading') {
      section = token.text
      page.headings.push({ id: anchorOf(token.text), title: token.text, level: token.depth })
    }
    const place = page.blocks.length
    const last = page.blocks.at(-1)
    if (token.type === 'code') page.blocks.push({ place, type: 'example', text: token.text, language: token.lang ?? '', section })
    else if (last?.type === 'html') last.html += marked.parser([token])
    else page.blocks.push({ place, type: 'html', html: marked.parser([token]) })
  }
  return page
}

/** The anchor of a heading, as GitHub makes it, so that links work in both places. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** What a link leads to from within the app; null: to a file of the repository, which the app does not serve, or to no good. */
function hrefOf(href: string): string | null {
  if (href.startsWith('#') || href.startsWith('https://')) return href
  return /^(?:\.\.\/)+public(\/[^/].*)$/.exec(href)?.[1] ?? null
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

const TABLE_WIDTHS = ['', '', 'min-w-96', 'min-w-xl', 'min-w-2xl', 'min-w-3xl', 'min-w-3xl']

function rendererOf(section: () => string): MarkedExtension<string, string>['renderer'] {
  return {
    html: () => '',
    image: () => '',
    heading({ tokens, depth, text }) {
      const id = escaped(anchorOf(text))
      const title = this.parser.parseInline(tokens)
      return `<h${depth} id="${id}">${depth === 1 ? title : `<a href="#${id}">${title}</a>`}</h${depth}>`
    },
    // It scrolls in a box of its own, and with the arrow keys, so the box takes the focus.
    table({ header, rows }: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], open: string, close: string) =>
        `<tr>${row.map(({ tokens }) => `${open}${this.parser.parseInline(tokens)}${close}`).join('')}</tr>`
      const head = cells(header, '<th scope="col">', '</th>')
      const body = rows.map((row) => cells(row, '<td>', '</td>')).join('')
      const width = TABLE_WIDTHS[header.length] ?? 'min-w-4xl'
      return `<div role="group" aria-label="Table: ${escaped(section())}" tabindex="0"><table class="${width}"><thead>${head}</thead><tbody>${body}</tbody></table></div>`
    },
    link({ href, tokens }) {
      const to = hrefOf(href)
      const inner = this.parser.parseInline(tokens)
      return to === null ? inner : `<a href="${escaped(to)}">${inner}</a>`
    },
  }
}
