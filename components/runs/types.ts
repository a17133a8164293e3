import type { Answers } from '@/components/shell/trpc'

export type RunPage = Answers['runs']['list']
export type RunRow = RunPage['rows'][number]
export type RunView = Answers['runs']['get']
export type RunViewData = Extract<RunView, { view: 'data' }>
export type StepData = RunViewData['steps'][number]
export type GateData = RunViewData['gates'][number]
type Shape = Extract<RunView, { view: 'shape' }>
/** A step or gate as either view has it: the data fields are there where this person may read data. */
export type StepView = Shape['steps'][number] & Partial<StepData>
export type GateView = Shape['gates'][number] & Partial<GateData>
