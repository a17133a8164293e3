/** The tool by which a model gives its answer. Names of tools are of small letters, so none is called this. */
export const ANSWER = 'Answer'

const NAME_MAX = 64

/**
 * What tools are called towards the model, which takes letters, digits, `_` and `-`, 64 at most. Dots become `-`, which no name of ours holds; a
 * name that is too long becomes a number.
 */
export class ToolNames {
  readonly #shown = new Map<string, string>()
  readonly #ours = new Map<string, string>()

  constructor(names: readonly string[]) {
    names.forEach((name, index) => {
      const shown = name.length <= NAME_MAX ? name.replaceAll('.', '-') : `tool-${index}`
      this.#shown.set(name, shown)
      this.#ours.set(shown, name)
    })
  }

  shown(name: string): string {
    return this.#shown.get(name) ?? name
  }

  /** What the model calls by another name stays so: there is no such tool. */
  ours(shown: string): string {
    return this.#ours.get(shown) ?? shown
  }
}
