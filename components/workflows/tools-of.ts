/**
 * The tools and jobs (`job:KIND`) that each step may call (by itself, for each item, through an agent, or to undo), by step id. `spec` is canonical text, which the
 * server has validated.
 */
export function toolsByStep(spec: string): Map<string, string[]> {
  type Call = { uses?: string; compensate?: Call; do?: Call; tools?: string[] }
  const { steps } = JSON.parse(spec) as { steps: (Call & { id: string })[] }
  const called = (call: Call | undefined): string[] => {
    if (!call) return []
    const own = /^(tool|job):/.test(call.uses ?? '') ? [(call.uses ?? '').replace(/^tool:/, '')] : []
    return [...own, ...(call.tools ?? []), ...called(call.do), ...called(call.compensate)]
  }
  return new Map(steps.map((step) => [step.id, [...new Set(called(step))]]))
}
