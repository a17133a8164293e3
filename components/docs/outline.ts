import type { MarkedToken } from 'marked'

/** A heading that the table of contents lists. */
export interface Heading {
  id: string
  title: string
  /** 1: the page's own title. */
  level: number
}

/** The headings of a page, in order. */
export function outlineOf(tokens: readonly MarkedToken[]): Heading[] {
  return tokens.flatMap((token) => (token.type === 'heading' ? [{ id: anchorOf(token.text), title: token.text, level: token.depth }] : []))
}

/** The anchor of a heading, as GitHub makes it, so that links work in both places. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
