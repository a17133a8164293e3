import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number; boolValue?: boolean } }
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  events?: { name: string; attributes: Attribute[] }[]
  status?: { code?: number }
}
type Body = { resourceSpans: { scopeSpans: { spans: ReceivedSpan[] }[] }[] }

/** An OTLP receiver on this machine that keeps what it gets. */
export async function startReceiver() {
  const spans: ReceivedSpan[] = []
  let received = ''
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      received += body
      spans.push(...(JSON.parse(body) as Body).resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)))
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Everything, as it came. */
    received: () => received,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const attributeOf = (span: ReceivedSpan, key: string) => {
  const value = span.attributes.find((one) => one.key === key)?.value
  return value?.stringValue ?? value?.intValue ?? value?.boolValue
}
