/** An expected failure of the surroundings (disk, port, database). Its message is for the operator: what is wrong and what to do about it. */
export class Problem extends Error {
  override name = 'Problem'
}
