import type { Terminal } from './terminal'

interface Options {
  json: boolean
  locale: string
  plugins: string | undefined
}

/** One command: what it answers is printed, what it returns is how the program ends. */
export type Command = (files: string[], options: Options, terminal: Terminal) => Promise<number> | number
