import { ExactTime } from '@/components/ui/relative-time'
import type { Approval } from './types'
import { Quote } from './quote'

const CHANNELS: Record<string, string> = { web: 'on this site', email: 'by mail', mcp: 'through an assistant', rest: 'through the API' }

/** Who decided what, when and by which way, with their comments. */
export function Decisions({ decisions }: { decisions: Approval['decisions'] }) {
  if (decisions.length === 0) return null
  return (
    <ul className="grid grid-cols-1 gap-2 text-sm">
      {decisions.map(({ by, decision, channel, comment, at }) => (
        <li key={by.id} className="grid grid-cols-1 gap-1.5">
          <p>
            <span className="font-medium">{by.name}</span> {decision === 'approve' ? 'approved' : 'rejected'}, <ExactTime at={at} />,{' '}
            {Object.hasOwn(CHANNELS, channel) ? CHANNELS[channel] : channel}
          </p>
          {comment !== null && comment !== '' && <Quote>{comment}</Quote>}
        </li>
      ))}
    </ul>
  )
}
