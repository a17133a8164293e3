import { GATE_LOOKS, RUN_LOOKS, STEP_LOOKS } from '@/components/runs/status'
import type { WorkflowSpec } from '@/spec'
import type { StepStatuses } from './mermaid'
import type { ToolTitles } from './words'

type Drawer = {
  draw: (spec: WorkflowSpec, statuses: StepStatuses | undefined, titles: ToolTitles | undefined, measureIn: Element) => Promise<string>
}

let loading: Promise<Drawer> | undefined
let drawings = 0

/** Mermaid weighs 200 KB and more: it is fetched when the first diagram is shown. A failed fetch is tried again next time. */
export function loadDrawer(): Promise<Drawer> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Drawer> {
  const [{ default: mermaid }, { toMermaid }] = await Promise.all([import('mermaid'), import('./mermaid')])
  mermaid.initialize({
    startOnLoad: false,
    // A definition is never trusted: labels are sanitised, scripts and links are dropped.
    securityLevel: 'strict',
    layout: 'dagre',
    look: 'classic',
    theme: 'base',
    themeVariables: { fontFamily: getComputedStyle(document.body).fontFamily, fontSize: '14px' },
    themeCSS: styleSheet(),
    flowchart: { useMaxWidth: false, wrappingWidth: 180, nodeSpacing: 36, rankSpacing: 44, padding: 12 },
    suppressErrorRendering: true,
    maxTextSize: 5_000_000,
    maxEdges: 20_000,
  })
  return {
    // Each drawing has an id of its own: Mermaid draws into the first element of the page with that id, which would be the drawing
    // on show, and hands back an empty one.
    // Mermaid draws one after the other by itself.
    draw: async (spec, statuses, titles, measureIn) =>
      (await mermaid.render(`workflow-drawing-${drawings++}`, toMermaid(spec, statuses, titles), measureIn)).svg,
  }
}

/** Some outlines are a shape, others (an agent's) a group of paths, which Mermaid's theme would colour by themselves. */
const outline = (node: string) => `${node} .label-container,${node} .label-container path`

/** Colours by custom property, so that switching between light and dark needs no new drawing. */
function styleSheet(): string {
  const colors = new Set([RUN_LOOKS, STEP_LOOKS, GATE_LOOKS].flatMap((looks) => Object.values(looks).map((look) => look.color)))
  return [
    `${outline('.node')}{fill:var(--card);stroke:var(--muted-foreground);stroke-width:1.5px}`,
    '.nodeLabel,.edgeLabel,.edgeLabel p,.nodeLabel p{color:var(--foreground)}',
    '.nodeLabel p::first-line{font-weight:600}',
    '.edgeLabel,.edgeLabel p,.labelBkg{background-color:var(--card)}',
    '.flowchart-link{stroke:var(--muted-foreground)}',
    '.marker,.arrowMarkerPath{fill:var(--muted-foreground);stroke:var(--muted-foreground)}',
    ...Array.from(
      colors,
      (color) =>
        `${outline(`.node.${color.slice('--'.length)}`)}{fill:color-mix(in oklab,var(${color}) 14%,var(--card));stroke:var(${color});stroke-width:2px}`,
    ),
  ].join('')
}
