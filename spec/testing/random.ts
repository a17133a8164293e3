/** Draws decisions out of a seed. After `decisions` of them the first choice is taken, so that shrinking simplifies. */
export class Random {
  #seed: number
  #decisions: number

  constructor(seed: number, decisions = Infinity) {
    this.#seed = seed
    this.#decisions = decisions
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    if (this.#decisions-- <= 0) return 0
    // mulberry32
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % limit
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** Some of a list in its order, at most `most`. */
  some<T>(list: readonly T[], most: number): T[] {
    const chosen: T[] = []
    for (const item of list) if (chosen.length < most && this.below(2) === 1) chosen.push(item)
    return chosen
  }

  /** These members, or none. */
  maybe<T extends object>(part: T): Partial<T> {
    return this.below(2) === 1 ? part : {}
  }
}
