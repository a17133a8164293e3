import { Card, CardHeader, CardTitle } from '@/components/ui/card'
import { ExactTime, RelativeTime } from '@/components/ui/relative-time'
import { Decisions } from '@/components/approvals/decisions'
import { anyOf } from './names'
import { GATE_LOOKS } from './status'
import { StatusBadge } from './status-badge'
import type { GateView } from './types'

/** The approvals of a run: what was asked of whom, who answered what, when and by which way. */
export function RunGates({ gates }: { gates: GateView[] }) {
  return (
    <Card aria-labelledby="approvals">
      <CardHeader>
        <CardTitle id="approvals">Approvals</CardTitle>
      </CardHeader>
      <ul className="divide-y border-t text-sm">
        {gates.map((gate) => (
          <li key={gate.id} className="grid grid-cols-1 gap-2 px-5 py-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="font-medium break-words">{gate.title}</p>
              <StatusBadge look={GATE_LOOKS[gate.status]} />
            </div>
            <p className="text-muted-foreground">
              Asked <ExactTime at={gate.openedAt} /> of {gate.waitingFor?.length ? anyOf(gate.waitingFor) : `the role “${gate.role}”`}
              {gate.approvals > 1 && `; ${gate.decided} of ${gate.approvals} approved`}
              {gate.status === 'open' && (
                <>
                  ; ends <RelativeTime at={gate.expiresAt} />
                </>
              )}
              .
            </p>
            {gate.decisions !== undefined && <Decisions decisions={gate.decisions} />}
          </li>
        ))}
      </ul>
    </Card>
  )
}
