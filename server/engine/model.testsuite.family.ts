import * as fc from 'fast-check'
import type { StepKind, WorkflowSpec } from '@/spec'
import { arbitrarySpec } from '@/spec/testing/arbitrary-spec'

/** A workflow, what it and its maps start, what those start, and later versions of these. */
export type Drawn = {
  root: WorkflowSpec
  /** Published before the run starts, the last ones first. */
  below: WorkflowSpec[]
  /** Published while it runs, and none of its business. */
  later: WorkflowSpec
  seed: number
  /** How much happens before all that is left goes well. */
  actions: number
}

const ALONE: readonly StepKind[] = ['tool', 'job', 'agent', 'choice', 'map', 'approve', 'wait']
const CALLING: readonly StepKind[] = [...ALONE, 'workflow', 'workflow', 'workflow']

export function arbitraryFamily({ maxSteps, maxActions }: { maxSteps: number; maxActions: number }): fc.Arbitrary<Drawn> {
  const secrets = false
  const child = (most: number) =>
    arbitrarySpec({ slug: 'child', maxSteps: most, kinds: CALLING, workflows: ['grandchild', 'grandchild@1'], secrets })
  return fc
    .record({
      root: arbitrarySpec({ maxSteps, kinds: CALLING, workflows: ['child', 'child', 'child@1', 'child@2', 'missing'], secrets }),
      first: child(3),
      second: child(4),
      grandchild: arbitrarySpec({ slug: 'grandchild', maxSteps: 3, kinds: ALONE, secrets }),
      later: child(2),
      seed: fc.nat(),
      actions: fc.nat({ max: maxActions }),
    })
    .map(({ root, first, second, grandchild, later, seed, actions }) => ({
      root,
      below: [grandchild, first, second],
      later,
      seed,
      actions,
    }))
}
