import 'react'

declare module 'react' {
  interface CSSProperties {
    /** The colour a Badge, tick or dot is drawn in. */
    '--tone'?: string
  }
}
