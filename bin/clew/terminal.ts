import fs from 'node:fs'

/** What a command reads and writes: the process's own streams, or a test's. */
export interface Terminal {
  /** @throws {Unreadable} */
  read(file: string): string
  /** A text with its line end. */
  print(text: string): void
  /** A text as it is. */
  write(text: string): void
  complain(text: string): void
}

/** The program was not asked rightly. */
export class Usage extends Error {}

/** A file that cannot be read: the message says which and why. */
export class Unreadable extends Error {}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'this is a folder',
  EACCES: 'you may not read it',
}

export const terminal: Terminal = {
  read: (file) => {
    try {
      return decode(fs.readFileSync(file === '-' ? 0 : file), file)
    } catch (error) {
      if (error instanceof Unreadable) throw error
      const { code = '', message } = error as NodeJS.ErrnoException
      throw new Unreadable(`${file}: ${REASONS[code] ?? message}`)
    }
  },
  print: (text) => void process.stdout.write(`${text}\n`),
  write: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(`${text}\n`),
}

/** A byte that is no UTF-8 would become another character without a word. */
function decode(bytes: Buffer, file: string): string {
  try {
    // The mark at the beginning is kept: it is a problem of the document, and reported as one.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Unreadable(`${file}: this is not UTF-8 text`)
  }
}
