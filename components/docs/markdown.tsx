import type { MarkedToken, Token, Tokens } from 'marked'
import { Children, type ReactNode } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/components/ui/cn'
import { Td, Th } from '@/components/ui/table'
import { hrefOf } from './links'
import { anchorOf } from './outline'

/** The blocks of a page, drawn. HTML in the text is left out, so that nothing in it can become part of the page. */
export function Markdown({ tokens }: { tokens: readonly MarkedToken[] }) {
  let section = ''
  return each(tokens, (token) => {
    if (token.type === 'heading') section = token.text
    return block(token, section)
  })
}

/** Items by their place: a page never changes while it is looked at. */
const each = <T,>(items: readonly T[], draw: (item: T) => ReactNode) => Children.toArray(items.map(draw))

function block(token: MarkedToken, section: string): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading token={token} />
    case 'paragraph':
      return <p className="my-3 max-w-[75ch] text-pretty">{inline(token.tokens)}</p>
    case 'text':
      return token.tokens ? inline(token.tokens) : token.text
    case 'list':
      return <List token={token} section={section} />
    case 'table':
      return <Table token={token} section={section} />
    case 'code':
      return <Code token={token} section={section} />
    default:
      return null
  }
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4'] as const
const HEADING_STYLES = {
  h1: 'text-2xl font-semibold tracking-tight',
  h2: 'mt-12 mb-3 border-t pt-8 text-xl font-semibold',
  h3: 'mt-8 mb-2 text-base font-semibold',
  h4: 'mt-6 mb-2 font-semibold',
}

function Heading({ token }: { token: Tokens.Heading }) {
  const Tag = HEADINGS[token.depth - 1] ?? 'h4'
  const id = anchorOf(token.text)
  return (
    <Tag id={id} className={HEADING_STYLES[Tag]}>
      {Tag === 'h1' ? (
        inline(token.tokens)
      ) : (
        <a href={`#${id}`} className="rounded-sm hover:underline">
          {inline(token.tokens)}
        </a>
      )}
    </Tag>
  )
}

function List({ token, section }: { token: Tokens.List; section: string }) {
  const Tag = token.ordered ? 'ol' : 'ul'
  return (
    <Tag className={cn('my-3 max-w-[75ch] space-y-1.5 pl-6 marker:text-muted-foreground', token.ordered ? 'list-decimal' : 'list-disc')}>
      {each(token.items, (item) => (
        <li>{each(item.tokens, (inner) => block(inner as MarkedToken, section))}</li>
      ))}
    </Tag>
  )
}

const TABLE_WIDTHS = ['', '', 'min-w-96', 'min-w-xl', 'min-w-2xl', 'min-w-3xl']

/** A table scrolls in its own box, and with the arrow keys, so the box takes the focus. */
function Table({ token, section }: { token: Tokens.Table; section: string }) {
  return (
    <div role="group" aria-label={`Table: ${section}`} tabIndex={0} className="my-4 overflow-x-auto rounded-xl border bg-card">
      <table
        className={cn('w-full border-collapse text-sm [&_tr:last-child>td]:border-b-0', TABLE_WIDTHS[token.header.length] ?? 'min-w-4xl')}
      >
        <thead>
          <tr>
            {each(token.header, (cell) => (
              <Th>{inline(cell.tokens)}</Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {each(token.rows, (row) => (
            <tr>
              {each(row, (cell) => (
                <Td className="px-4 py-2 first:[&_code]:whitespace-nowrap">{inline(cell.tokens)}</Td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Code({ token, section }: { token: Tokens.Code; section: string }) {
  return (
    <div className="my-4 overflow-hidden rounded-xl border bg-card">
      <div className="flex items-center justify-between border-b py-1.5 pr-1.5 pl-4 text-xs text-muted-foreground">
        <span>{token.lang === 'json' ? 'JSON' : 'Text'}</span>
        <CopyButton text={token.text} />
      </div>
      <pre
        role="group"
        aria-label={`Example: ${section}`}
        tabIndex={0}
        className="overflow-x-auto p-4 font-mono text-[0.8125rem] leading-6"
      >
        {token.text}
      </pre>
    </div>
  )
}

/** Text within a block. */
function inline(tokens: readonly Token[]): ReactNode {
  return each(tokens as MarkedToken[], phrase)
}

function phrase(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
      return token.tokens ? inline(token.tokens) : token.text
    case 'escape':
      return token.text
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens)}</strong>
    case 'em':
      return <em>{inline(token.tokens)}</em>
    case 'codespan':
      return <code className="rounded-sm bg-muted px-1 py-0.5 font-mono text-[0.8125rem]">{token.text}</code>
    case 'link': {
      const href = hrefOf(token.href)
      if (href === null) return inline(token.tokens)
      return (
        <a href={href} className="rounded-sm text-primary underline underline-offset-2">
          {inline(token.tokens)}
        </a>
      )
    }
    default:
      return null
  }
}
