import { toolOf, workflowOf } from '@/spec'
import type { Plan } from './model'
import type { Definition } from './ports'
import type { Context } from './record'

/**
 * The definitions that a run's child workflows mean, and those of their children, all the way down: fixed when the root starts, whatever is
 * published or archived while it runs. What does not exist then is absent, and a step that reaches it fails.
 */
export async function pinsOf(context: Context, root: Definition): Promise<{ pins: Record<string, string>; definitions: Definition[] }> {
  const pins = new Map<string, string>()
  const definitions = new Map<string, Definition>()
  const asked = new Set<string>()
  let open = [root]
  while (open.length > 0) {
    const references = new Set(open.flatMap((definition) => workflowsIn(context.plans.of(definition))))
    open = []
    for (const reference of references) {
      if (asked.has(reference)) continue
      asked.add(reference)
      const { slug, version } = workflowOf({ uses: `workflow:${reference}` })
      const found = await context.ports.store.findDefinition(root.teamId, slug, version)
      if (!found) continue
      pins.set(reference, found.id)
      if (!definitions.has(found.id)) open.push(found)
      definitions.set(found.id, found)
    }
  }
  return { pins: Object.fromEntries(pins), definitions: [...definitions.values()] }
}

/** What stands behind `workflow:` in the document's steps and in what its maps do. */
function workflowsIn({ spec }: Plan): string[] {
  return spec.steps.flatMap((step) => {
    const body = 'do' in step ? step.do : step
    return body.uses.startsWith('workflow:') ? [toolOf(body)] : []
  })
}
