import { z } from 'zod'
import { agentSettings, type Json, type WorkflowSpec } from '@/spec'
import { notFound } from '../../errors'
import { getRun as readRun } from '../../store/postgres/read-runs'
import { listTurns as readTurns, type TurnRow } from '../../store/postgres/read-turns'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { id, knownId, slug } from '../input'
import { isoOrNull } from '../time'
import type { AgentCallData, AgentCallShape, TurnData, TurnShape, TurnsView } from '../views'
import { storedSpec } from '../workflows/spec'

export const listTurnsInput = z.object({ team: slug, id, stepId: slug, item: z.int().min(-1).max(10_000).default(-1) })

/** What an agent said and called so far: with data for whoever may read the team's data, else its shape. */
export async function listTurns(ctx: Ctx, input: z.output<typeof listTurnsInput>): Promise<TurnsView> {
  const { teamId, readsData } = await enter(ctx, 'run.read_shape', input.team)
  const run = await readRun(ctx.db, teamId, knownId(input.id))
  const agent = run && agentOf(storedSpec(run.spec), input.stepId)
  if (!run || !agent) throw notFound()
  const rows = await readTurns(ctx.db, teamId, run.id, input)
  const turns = rows.filter(({ call }) => call === null)
  const callsOf = (reply: TurnRow) => rows.filter(({ turn, call }) => turn === reply.turn && call !== null)
  if (readsData) return { view: 'data', turns: turns.map((reply) => turnData(reply, callsOf(reply))) }
  const known = new Set(agentSettings(agent).tools)
  return { view: 'shape', turns: turns.map((reply) => turnShape(reply, callsOf(reply), known)) }
}

function agentOf({ steps }: WorkflowSpec, stepId: string) {
  const step = steps.find(({ id }) => id === stepId)
  const body = step && 'do' in step ? step.do : step
  return body && 'goal' in body ? body : undefined
}

type Asked = { tool: string; input: Json }

/** What the reply asked for. A call that was never begun has no row; a reply too large to show is known by its calls' rows only. */
function callsAsked(reply: TurnRow, rows: TurnRow[]): { asked: Asked | null; row: TurnRow | undefined }[] {
  const asked = (reply.output as { calls?: Asked[] } | null)?.calls ?? []
  const count = Math.max(asked.length, ...rows.map(({ call }) => call ?? 0), 0)
  return Array.from({ length: count }, (_, i) => ({ asked: asked[i] ?? null, row: rows.find(({ call }) => call === i + 1) }))
}

/** The name of a tool is the model's own word: only one that stands in the document is shape. */
function turnShape(reply: TurnRow, rows: TurnRow[], known: ReadonlySet<string>): TurnShape {
  const calls = callsAsked(reply, rows).map(({ asked, row }) => callShape(asked && known.has(asked.tool) ? asked.tool : null, row))
  return { turn: reply.turn, at: isoOrNull(reply.finishedAt), calls }
}

const callShape = (tool: string | null, row: TurnRow | undefined): AgentCallShape => ({
  tool,
  status: row?.status ?? 'pending',
  attempt: row?.attempt ?? 1,
  startedAt: isoOrNull(row?.startedAt ?? null),
  finishedAt: isoOrNull(row?.finishedAt ?? null),
  errorCode: row?.error?.code ?? null,
})

function turnData(reply: TurnRow, rows: TurnRow[]): TurnData {
  const said = reply.output as { text?: string; answer?: Json } | null
  const calls = callsAsked(reply, rows).map(callData)
  return {
    turn: reply.turn,
    at: isoOrNull(reply.finishedAt),
    calls,
    text: said?.text || null,
    answer: said?.answer ?? null,
    omitted: reply.outputOmitted,
  }
}

const callData = ({ asked, row }: { asked: Asked | null; row: TurnRow | undefined }): AgentCallData => ({
  ...callShape(asked?.tool ?? null, row),
  input: row?.input ?? asked?.input ?? null,
  inputOmitted: row?.inputOmitted ?? null,
  output: row?.output ?? null,
  outputOmitted: row?.outputOmitted ?? null,
  errorMessage: row?.error?.message ?? null,
})
