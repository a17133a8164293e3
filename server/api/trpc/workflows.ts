import { getWorkflow, getWorkflowInput } from '../../services/workflows/get'
import { listWorkflows, listWorkflowsInput } from '../../services/workflows/list'
import { publishWorkflow, publishWorkflowInput, publishWorkflowOutput } from '../../services/workflows/publish'
import { validateWorkflow, validateWorkflowInput, validateWorkflowOutput } from '../../services/workflows/validate'
import { authed, router } from './init'

const tags = ['Workflows']

export const workflows = router({
  list: authed.input(listWorkflowsInput).query(({ ctx, input }) => listWorkflows(ctx, input)),
  get: authed.input(getWorkflowInput).query(({ ctx, input }) => getWorkflow(ctx, input)),
  validate: authed
    .meta({
      openapi: {
        method: 'POST',
        path: '/t/{team}/workflows/validate',
        tags,
        protect: true,
        summary: 'Check a workflow without publishing it',
      },
    })
    .input(validateWorkflowInput)
    .output(validateWorkflowOutput)
    .mutation(({ ctx, input }) => validateWorkflow(ctx, input)),
  publish: authed
    .meta({
      openapi: { method: 'POST', path: '/t/{team}/workflows', tags, protect: true, summary: 'Publish a workflow, or a new version of it' },
    })
    .input(publishWorkflowInput)
    .output(publishWorkflowOutput)
    .mutation(({ ctx, input }) => publishWorkflow(ctx, input)),
})
