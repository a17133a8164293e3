import type { Weakening } from './approvals'
import type { NewEffect } from './effects'

/** The words of a difference in one language. What is passed in is worded already: names are in quotes, lists are joined. */
interface Messages {
  nothing: string
  headings: Record<'approvals' | 'effects' | 'steps' | 'order' | 'input' | 'output' | 'settings', string>
  approvalRemoved: (gate: string) => string
  weakened: (gate: string, why: string) => string
  /** `cases`: when now; empty: always. `before`: when before; empty: never; null: more than can be told. */
  unasked: (step: string, things: string, cases: string, before: string | null) => string
  unaskedElsewhere: (step: string, things: string) => string
  threshold: (gate: string, input: string, from: string, to: string) => string
  noDefault: string
  why: { [K in Weakening['code']]: (was: string, is: string) => string }
  by: Record<NewEffect['by'], (step: string, uses: string) => string>
  effects: Record<'write' | 'once' | 'unknown', string>
  first: string
  kinds: Record<'tool' | 'job' | 'workflow', (name: string) => string>
  added: (thing: string) => string
  removed: (thing: string) => string
  changed: (thing: string) => string
  set: (path: string, to: string) => string
  unset: (path: string, from: string) => string
  replaced: (path: string, from: string, to: string) => string
  reordered: string
  waitsMore: (step: string, entry: string) => string
  waitsLess: (step: string, entry: string) => string
  waitsElse: (step: string, from: string, to: string) => string
}

const en: Messages = {
  nothing: 'Nothing changed.',
  headings: {
    approvals: 'Approvals that hold back less, or in other cases',
    effects: 'What it may change now and could not before',
    steps: 'Steps',
    order: 'What waits for what',
    input: 'Inputs',
    output: 'Results',
    settings: 'The workflow itself',
  },
  approvalRemoved: (gate) => `${gate} is gone: it asks nobody any more.`,
  weakened: (gate, why) => `${gate} is weaker: ${why}.`,
  unasked: (step, things, cases, before) =>
    `${step} runs ${things} without any approval${cases && ` if ${cases}`}${
      before === null ? '; before, in other cases' : before === '' ? '; before, never' : `; before, only if ${before}`
    }.`,
  unaskedElsewhere: (step, things) => `${step} runs ${things} without any approval in other cases than before.`,
  threshold: (gate, input, from, to) =>
    `The condition that decides whether ${gate} asks depends on ${input}, whose default changed from ${from} to ${to}.`,
  noDefault: 'none',
  why: {
    role_changed: (was, is) => `the role ${is} decides instead of ${was}`,
    fewer_approvals: (was, is) =>
      is === '1' ? `one approval is enough instead of ${was}` : `${is} approvals are enough instead of ${was}`,
    self_approval: () => 'whoever started the run may decide',
    no_sign_in: () => 'nobody has to sign in to decide',
    more_channels: (_, is) => `one may also decide by ${is}`,
    shows_less: (was) => `it no longer shows ${was}`,
    message_removed: () => 'it has no message any more',
    message_tells_less: () => 'its message no longer tells what it told',
    acts_on_unseen: (was, is) => `it does not show ${is}, which ${was} now acts on`,
    can_be_skipped: (_, is) => `${is} can start without it`,
  },
  by: {
    call: (step, uses) => `${step} runs ${uses}`,
    each: (step, uses) => `${step} runs ${uses} for each of many`,
    agent: (step, uses) => `${step} lets an AI agent use ${uses} on its own`,
    undo: (step, uses) => `${step} is undone with ${uses}`,
  },
  effects: {
    write: 'it changes something',
    once: 'it changes something that cannot be repeated safely',
    unknown: 'what it does is not known',
  },
  first: 'no step did so before',
  kinds: { tool: (name) => name, job: (name) => `the job ${name}`, workflow: (name) => `the workflow ${name}` },
  added: (thing) => `new: ${thing}`,
  removed: (thing) => `gone: ${thing}`,
  changed: (thing) => `changed: ${thing}`,
  set: (path, to) => `${path}: now ${to}`,
  unset: (path, from) => `${path}: no longer ${from}`,
  replaced: (path, from, to) => `${path}: from ${from} to ${to}`,
  reordered: 'They stand in another order.',
  waitsMore: (step, entry) => `${step} now also waits for ${entry}`,
  waitsLess: (step, entry) => `${step} no longer waits for ${entry}`,
  waitsElse: (step, from, to) => `${step} waits for ${to} instead of ${from}`,
}

const es: Messages = {
  nothing: 'No ha cambiado nada.',
  headings: {
    approvals: 'Aprobaciones que frenan menos, o en otros casos',
    effects: 'Lo que ahora puede cambiar y antes no podía',
    steps: 'Pasos',
    order: 'Qué espera a qué',
    input: 'Datos de entrada',
    output: 'Resultados',
    settings: 'El flujo en sí',
  },
  approvalRemoved: (gate) => `${gate} ya no está: no se pregunta a nadie.`,
  weakened: (gate, why) => `${gate} es más débil: ${why}.`,
  unasked: (step, things, cases, before) =>
    `${step} ejecuta ${things} sin aprobación de nadie${cases && ` si ${cases}`}${
      before === null ? '; antes, en otros casos' : before === '' ? '; antes, nunca' : `; antes, solo si ${before}`
    }.`,
  unaskedElsewhere: (step, things) => `${step} ejecuta ${things} sin aprobación de nadie en otros casos que antes.`,
  threshold: (gate, input, from, to) =>
    `La condición que decide si ${gate} pregunta depende de ${input}, cuyo valor por defecto ha cambiado de ${from} a ${to}.`,
  noDefault: 'ninguno',
  why: {
    role_changed: (was, is) => `decide el rol ${is} en lugar de ${was}`,
    fewer_approvals: (was, is) =>
      is === '1' ? `basta con una aprobación en lugar de ${was}` : `bastan ${is} aprobaciones en lugar de ${was}`,
    self_approval: () => 'quien inició la ejecución puede decidir',
    no_sign_in: () => 'nadie tiene que iniciar sesión para decidir',
    more_channels: (_, is) => `también se puede decidir por ${is}`,
    shows_less: (was) => `ya no muestra ${was}`,
    message_removed: () => 'ya no tiene mensaje',
    message_tells_less: () => 'su mensaje ya no dice lo que decía',
    acts_on_unseen: (was, is) => `no muestra ${is}, sobre lo que ahora actúa ${was}`,
    can_be_skipped: (_, is) => `${is} puede empezar sin ella`,
  },
  by: {
    call: (step, uses) => `${step} ejecuta ${uses}`,
    each: (step, uses) => `${step} ejecuta ${uses} para cada uno de muchos`,
    agent: (step, uses) => `${step} permite que un agente de IA use ${uses} por su cuenta`,
    undo: (step, uses) => `${step} se deshace con ${uses}`,
  },
  effects: { write: 'cambia algo', once: 'cambia algo que no se puede repetir sin riesgo', unknown: 'no se sabe qué hace' },
  first: 'ningún paso lo hacía antes',
  kinds: { tool: (name) => name, job: (name) => `el trabajo ${name}`, workflow: (name) => `el flujo ${name}` },
  added: (thing) => `nuevo: ${thing}`,
  removed: (thing) => `eliminado: ${thing}`,
  changed: (thing) => `cambiado: ${thing}`,
  set: (path, to) => `${path}: ahora ${to}`,
  unset: (path, from) => `${path}: ya no ${from}`,
  replaced: (path, from, to) => `${path}: de ${from} a ${to}`,
  reordered: 'Están en otro orden.',
  waitsMore: (step, entry) => `${step} ahora también espera a ${entry}`,
  waitsLess: (step, entry) => `${step} ya no espera a ${entry}`,
  waitsElse: (step, from, to) => `${step} espera a ${to} en lugar de ${from}`,
}

/** By the language of a description. */
export const MESSAGES: Record<string, Messages> = { en, es }
