'use client'

import { useEffect, useMemo, useRef, useState } from 'react'
import { stepLook } from '@/components/runs/status'
import type { Step, WorkflowSpec } from '@/spec'
import type { StepStatuses } from './mermaid'
import { loadDrawer } from './render'
import { kindWords, shorten, stepName, type ToolTitles } from './words'

/**
 * A workflow drawn, with the statuses of a run where given. `spec` is the canonical text of a definition; `titles` are those
 * of its tools, as far as they are known.
 * Whoever cannot see it, and everybody when it cannot be drawn, gets the same as a list.
 */
export function WorkflowDiagram({ spec, statuses, titles }: { spec: string; statuses?: StepStatuses; titles?: ToolTitles }) {
  const measure = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [drawing, setDrawing] = useState<{ svg: string } | 'drawing' | 'failed'>('drawing')
  const document = useMemo(() => readSpec(spec), [spec])
  // Pages hand over a new object with each revision: only a change in what it says is worth a new drawing.
  const statusText = JSON.stringify(statuses)
  const titleText = JSON.stringify(titles)

  useEffect(() => {
    let current = true
    const draw = async () => {
      if (document === null || measure.current === null) return setDrawing('failed')
      try {
        const drawer = await loadDrawer()
        if (!current || measure.current === null) return
        const known = statusText === undefined ? undefined : (JSON.parse(statusText) as StepStatuses)
        const named = titleText === undefined ? undefined : (JSON.parse(titleText) as ToolTitles)
        const svg = await drawer.draw(document, known, named, measure.current)
        // The old drawing stays until the new one is there: nothing flickers, and the box keeps its scroll position.
        if (current) setDrawing({ svg })
      } catch {
        if (current) setDrawing('failed')
      }
    }
    void draw()
    return () => {
      current = false
    }
  }, [document, statusText, titleText])

  const isDrawn = typeof drawing === 'object'
  useEffect(() => {
    // Where it is wider than the box, the way in is in the middle of its first line.
    if (isDrawn && box.current) box.current.scrollLeft = (box.current.scrollWidth - box.current.clientWidth) / 2
  }, [isDrawn])

  return (
    <div className="relative">
      {drawing !== 'failed' && (
        // Scrolled with the arrow keys, so it takes the focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div
          ref={box}
          role="region"
          aria-label="Drawing of the workflow"
          tabIndex={0}
          className="max-h-[max(36rem,80dvh)] overflow-auto rounded-md"
        >
          {drawing === 'drawing' ? (
            <p className="text-muted-foreground flex h-40 items-center justify-center text-sm">Drawing the diagram…</p>
          ) : (
            // Mermaid's own output under securityLevel 'strict', of labels that are character codes only.
            <div aria-hidden className="w-max min-w-full *:mx-auto" dangerouslySetInnerHTML={{ __html: drawing.svg }} />
          )}
        </div>
      )}
      <div ref={measure} aria-hidden className="pointer-events-none invisible absolute top-0 left-0 h-0 w-0 overflow-hidden" />
      <StepList steps={document?.steps ?? []} statuses={statuses} titles={titles} visible={drawing === 'failed'} />
    </div>
  )
}

type StepListProps = { steps: Step[]; statuses: StepStatuses | undefined; titles: ToolTitles | undefined; visible: boolean }

function StepList({ steps, statuses, titles, visible }: StepListProps) {
  return (
    <div className={visible ? '' : 'sr-only'}>
      {visible && <p className="text-muted-foreground mb-2 text-sm">The diagram could not be drawn here. The same as a list:</p>}
      <ol className="list-decimal space-y-1 pl-6 text-sm">
        {steps.map((step) => (
          <li key={step.id} className="break-words">
            {listText(step, statuses, titles)}
          </li>
        ))}
      </ol>
    </div>
  )
}

function listText(step: Step, statuses: StepStatuses | undefined, titles: ToolTitles | undefined): string {
  const known = statuses !== undefined && Object.hasOwn(statuses, step.id) ? statuses[step.id] : undefined
  const name = shorten(stepName(step), 120)
  const after = step.after.length === 0 ? '' : `, after ${step.after.join(step.join === 'any' ? ' or ' : ' and ')}`
  const port = known?.port === null || known?.port === undefined ? '' : ` (${known.port})`
  const status = known === undefined ? '' : `: ${stepLook({ kind: step.uses, ...known }).word}${port}`
  return `${name} (${shorten(kindWords(step, titles), 120)})${after}${status}`
}

/** A stored definition was validated when it was published; what cannot be read is listed as nothing rather than throwing. */
function readSpec(text: string): WorkflowSpec | null {
  try {
    return JSON.parse(text) as WorkflowSpec
  } catch {
    return null
  }
}
