import { checkInput, type Fields, type Json } from '@/spec'
import type { ModelReply } from '../ports'

type Answer = { ok: true; value: Json } | { ok: false; complaint: string }

/**
 * What an agent's last reply answers: its text, or the declared fields, all others dropped. A model that was asked for fields and wrote them as
 * the text of a JSON object has answered too. The complaint is for the model, which may try again.
 */
export function answerOf(fields: Fields | null, reply: ModelReply): Answer {
  if (!fields)
    return reply.text.trim() === '' ? { ok: false, complaint: 'The reply was empty.' } : { ok: true, value: { text: reply.text } }
  const given = reply.answer ?? objectIn(reply.text)
  if (!isObject(given)) return { ok: false, complaint: 'The answer was not given in the fields that are asked for.' }
  const declared = Object.entries(given).filter(([name]) => Object.hasOwn(fields, name))
  const checked = checkInput(fields, Object.fromEntries(declared))
  if (checked.ok) return { ok: true, value: checked.value }
  const problems = checked.problems.slice(0, 5).map(({ path, message }) => `${path || 'the answer'}: ${message}`)
  return { ok: false, complaint: `The answer does not fit: ${problems.join('; ')}.` }
}

function objectIn(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

const isObject = (value: Json): value is Record<string, Json> => typeof value === 'object' && value !== null && !Array.isArray(value)
