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

const HEADING_STYLES = [
  'text-2xl font-semibold tracking-tight',
  'mt-12 mb-3 border-t pt-8 text-xl font-semibold',
  'mt-8 mb-2 text-base font-semibold',
  'mt-6 mb-2 font-semibold',
]
const TABLE_WIDTHS = ['', '', 'min-w-96', 'min-w-xl', 'min-w-2xl', 'min-w-3xl']
const TH = 'border-b px-4 py-2.5 text-left text-xs font-medium whitespace-nowrap text-muted-foreground'
const TD = 'border-b px-4 py-2 align-top first:[&_code]:whitespace-nowrap'

function rendererOf(section: () => string): MarkedExtension<string, string>['renderer'] {
  return {
    html: () => '',
    image: () => '',
    heading({ tokens, depth, text }) {
      const id = escaped(anchorOf(text))
      const title = this.parser.parseInline(tokens)
      const inner = depth === 1 ? title : `<a href="#${id}" class="rounded-sm hover:underline">${title}</a>`
      return `<h${depth} id="${id}" class="${HEADING_STYLES[depth - 1] ?? ''}">${inner}</h${depth}>`
    },
    paragraph({ tokens }) {
      return `<p class="my-3 max-w-[75ch] text-pretty">${this.parser.parseInline(tokens)}</p>`
    },
    list({ ordered, items }: Tokens.List) {
      const [tag, style] = ordered ? ['ol', 'list-decimal'] : ['ul', 'list-disc']
      const inner = items.map((item) => this.listitem(item)).join('')
      return `<${tag} class="my-3 max-w-[75ch] space-y-1.5 pl-6 marker:text-muted-foreground ${style}">${inner}</${tag}>`
    },
    // It scrolls in a box of its own, and with the arrow keys, so the box takes the focus.
    table({ header, rows }: Tokens.Table) {
      const cells = (row: Tokens.TableCell[], open: string, close: string) =>
        `<tr>${row.map(({ tokens }) => `${open}${this.parser.parseInline(tokens)}${close}`).join('')}</tr>`
      const head = cells(header, `<th scope="col" class="${TH}">`, '</th>')
      const body = rows.map((row) => cells(row, `<td class="${TD}">`, '</td>')).join('')
      const width = TABLE_WIDTHS[header.length] ?? 'min-w-4xl'
      return `<div role="group" aria-label="Table: ${escaped(section())}" tabindex="0" class="my-4 overflow-x-auto rounded-xl border bg-card"
><table class="w-full border-collapse text-sm [&_tr:last-child>td]:border-b-0 ${width}"><thead>${head}</thead><tbody>${body}</tbody></table></div>`
    },
    strong({ tokens }) {
      return `<strong class="font-semibold">${this.parser.parseInline(tokens)}</strong>`
    },
    codespan: ({ text }) => `<code class="rounded-sm bg-muted px-1 py-0.5 font-mono text-[0.8125rem]">${escaped(text)}</code>`,
    link({ href, tokens }) {
      const to = hrefOf(href)
      const inner = this.parser.parseInline(tokens)
      return to === null ? inner : `<a href="${escaped(to)}" class="rounded-sm text-primary underline underline-offset-2">${inner}</a>`
    },
  }
}
