import { advance } from './advance'
import { jobFor } from './call'
import { openGate, openMap, reopenMap, resolveOutput, takeBranchOf, type Driving } from './decide'
import { faceOf } from './face'
import type { Effect, EngineEvent, StepRef } from './model'
import type { Log, NewJob, RunEnd, SignalData } from './ports'
import { setTimer } from './wait'
import { cancelChildren } from './signals'
import { bytesOf, cancelledLogged, endLogged, msBetween, spanOf, stepLogged } from './telemetry'

export type Logged = Parameters<Log['event']>

/**
 * Advances the locked run by these events and by everything they lead to, and saves it: effects are applied through the transaction, and the
 * answers of those that depend on data become events that come before what is left. Returns what to log once the transaction is committed.
 */
export async function drive(driving: Driving, first: EngineEvent[]): Promise<Logged[]> {
  const pass = new Pass(driving)
  const events = [...first]
  for (let event = events.shift(); event; event = events.shift()) events.unshift(...(await pass.take(event)))
  return pass.save()
}

class Pass {
  readonly #logged: Logged[] = []
  readonly #jobs: NewJob[] = []
  #state
  #finish: RunEnd | undefined

  constructor(private readonly on: Driving) {
    this.#state = on.tx.run.state
  }

  async take(event: EngineEvent): Promise<EngineEvent[]> {
    const next = advance(this.on.plan, this.#state, event)
    this.#state = next.state
    const answers: EngineEvent[] = []
    for (const effect of next.effects) {
      if (effect.type === 'enqueue') {
        this.#jobs.push(this.#jobFor(effect.ref))
        continue
      }
      await this.#flush()
      const answer = await this.#apply(effect)
      if (answer) answers.push(answer)
    }
    return answers
  }

  async save(): Promise<Logged[]> {
    await this.#flush()
    await this.#tellParent()
    await this.on.tx.save(this.#state, this.#finish)
    return this.#logged
  }

  #jobFor(ref: StepRef): NewJob {
    const { tx, plan, newId } = this.on
    if (ref.call === 'undo') this.#log('compensate', { step_id: ref.stepId, item: ref.item })
    return jobFor({ run: tx.run, plan, newId }, ref)
  }

  async #tellParent(): Promise<void> {
    const { kin, state } = this.on.tx.run
    if (!kin.parent || faceOf(this.#state) === faceOf(state)) return
    const data: SignalData = { ...kin.parent, call: 'child' }
    await this.on.tx.signal([{ id: this.on.newId(), data, teamId: this.on.tx.run.principal.teamId }])
  }

  /** Jobs go in together: one statement for a map's whole window. */
  async #flush(): Promise<void> {
    if (this.#jobs.length > 0) await this.on.tx.enqueue(this.#jobs.splice(0))
  }

  async #apply(effect: Exclude<Effect, { type: 'enqueue' }>): Promise<EngineEvent | undefined> {
    const { tx } = this.on
    switch (effect.type) {
      case 'take_branch':
        return this.#told(await takeBranchOf(this.on, effect))
      case 'open_gate':
        this.#log('gate_open', { step_id: effect.stepId })
        return openGate(this.on, effect)
      case 'set_timer':
        return this.#told(await setTimer(this.on, effect))
      case 'open_map':
        return this.#told(await openMap(this.on, effect))
      case 'reopen_map':
        return reopenMap(this.on, effect)
      case 'choose_items': {
        const items = await tx.pendingItems(step(effect), effect.from, effect.count)
        return { type: 'items_chosen', stepId: effect.stepId, epoch: effect.epoch, items }
      }
      case 'resume':
        await tx.reopen([...effect.again, ...effect.interrupted], effect.epoch)
        await tx.keepDeadlines(effect.interrupted, effect.epoch)
        this.#finish = { output: null, error: null }
        this.#log('run_start', { epoch: effect.epoch })
        return undefined
      case 'collect_map':
        // Told of first: the row with the results may be large, and this reads it.
        this.#logged.push(
          await stepLogged(tx, step(effect), effect.error ? { end: 'failed', code: effect.error.code } : { end: 'succeeded' }),
        )
        await tx.collectMap(step(effect), effect.error ? 'failed' : 'succeeded', effect.error)
        return { type: 'map_collected', stepId: effect.stepId, epoch: effect.epoch }
      case 'settle':
        if (effect.status === 'cancelled') this.#logged.push(await cancelledLogged(tx, this.on.plan, step(effect)))
        await tx.settleStep(step(effect), effect.status, {})
        return undefined
      case 'recall':
        return { type: 'recalled', refs: await tx.recall(effect.stepId) }
      case 'cancel_children':
        return void (await cancelChildren(tx, this.on.newId, effect.stepId))
      case 'choose_undo':
        return { type: 'undo_chosen', undo: await tx.nextUndo() }
      case 'mark_compensated':
        await tx.settleStep({ ...step(effect), item: effect.item }, 'compensated', {})
        return undefined
      case 'finish':
        return this.#finishAs(effect)
    }
  }

  async #finishAs(effect: Extract<Effect, { type: 'finish' }>): Promise<undefined> {
    const output = effect.status === 'succeeded' ? await resolveOutput(this.on) : null
    this.#finish = effect.keepsError ? { output } : { output, error: effect.error ?? null }
    const { error } = effect
    const { run, now } = this.on.tx
    const fields = {
      status: effect.status,
      code: error?.code ?? null,
      step_id: error?.stepId ?? null,
      duration_ms: msBetween(run.createdAt, now),
    }
    const span = {
      ...spanOf(run, run.createdAt, now),
      of: 'run',
      again: run.state.status === 'parked' || (run.state.epoch ?? 1) > 1,
    } as const
    this.#log(effect.status === 'parked' ? 'step_park' : 'run_finish', { ...fields, output_bytes: bytesOf(output) }, span)
  }

  /** An answer that is the end of a step as well, which began just now, is told of. */
  #told(answer: EngineEvent): EngineEvent {
    const tell = (at: { stepId: string; epoch: number }, end: Parameters<typeof endLogged>[2]) =>
      void this.#logged.push(endLogged(this.on.tx, step(at), end))
    if (answer.type === 'choice_taken') tell(answer, { end: 'succeeded', port: answer.branch })
    if (answer.type === 'timer_fired') tell(answer, { end: 'succeeded' })
    if (answer.type === 'choice_failed' || answer.type === 'wait_failed' || answer.type === 'map_failed_to_open')
      tell(answer, { end: 'failed', code: answer.error.code })
    return answer
  }

  #log(name: Logged[0], fields: Logged[1], span?: Logged[2]): void {
    this.#logged.push([name, { run_id: this.on.tx.run.id, ...fields }, span])
  }
}

const step = ({ stepId, epoch }: { stepId: string; epoch: number }): StepRef => ({ stepId, item: -1, call: '', epoch })
