import type { RunStatus } from '@/spec'
import type { Advanced, Effect, MapCursor, Plan, RunState, StepCursor, Waiting } from './model'
import { assertRunsAgain, assertRunTransition, assertStepTransition } from './transitions'

/** The next state under construction. Only `advance` makes one; it is gone when `advance` returns. */
export class Draft {
  readonly state: RunState
  readonly #effects: Effect[] = []

  constructor(
    readonly plan: Plan,
    before: RunState,
  ) {
    this.state = { ...before, steps: new Map(before.steps) }
  }

  /** Not yet, or not any more, at rest. */
  get isMoving(): boolean {
    return this.state.status === 'running' || this.state.status === 'awaiting_approval'
  }

  /** Whether anything new is decided or started. */
  get isOpen(): boolean {
    return this.isMoving && !this.state.stopping
  }

  cursor(stepId: string): StepCursor {
    const cursor = this.state.steps.get(stepId)
    if (!cursor) throw new Error(`the run has no step '${stepId}'`)
    return cursor
  }

  /** The cursor of a step that must be there, in that epoch: an event that says otherwise is a defect of whoever raised it. */
  expect<A extends StepCursor['at']>(stepId: string, epoch: number, ...at: A[]): Extract<StepCursor, { at: A }> {
    const cursor = this.cursor(stepId)
    const found = 'epoch' in cursor ? cursor.epoch : 0
    if (!at.some((one) => one === cursor.at) || found !== epoch) {
      throw new Error(`step '${stepId}' is ${cursor.at} (epoch ${found}), not ${at.join(' or ')} (epoch ${epoch})`)
    }
    return cursor as Extract<StepCursor, { at: A }>
  }

  expectMap(stepId: string, epoch: number): MapCursor {
    return this.expectWaiting(stepId, epoch, 'map').map
  }

  expectWaiting<On extends Waiting['on']>(stepId: string, epoch: number, on: On): Extract<Waiting, { on: On }> {
    const cursor = this.expect(stepId, epoch, 'waiting')
    if (cursor.on !== on) throw new Error(`step '${stepId}' waits for a ${cursor.on}, not for a ${on}`)
    return cursor as Extract<Waiting, { on: On }>
  }

  move(stepId: string, to: StepCursor): void {
    assertStepTransition(stepId, this.cursor(stepId).at, to.at)
    this.state.steps.set(stepId, to)
  }

  /** Only a re-drive does this. */
  runAgain(stepId: string, to: Extract<StepCursor, { at: 'pending' }>): void {
    assertRunsAgain(stepId, this.cursor(stepId).at)
    this.state.steps.set(stepId, to)
  }

  get epoch(): number {
    return this.state.epoch ?? 1
  }

  setStatus(to: RunStatus): void {
    if (this.state.status === to) return
    assertRunTransition(this.state.status, to)
    this.state.status = to
  }

  emit(effect: Effect): void {
    this.#effects.push(effect)
  }

  isFollowed(stepId: string, port: string): boolean {
    return this.plan.graph.followedPorts.get(stepId)?.has(port) ?? false
  }

  done(): Advanced {
    return { state: this.state, effects: this.#effects }
  }
}
