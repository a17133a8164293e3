import { expect, it } from 'vitest'
import { hrefOf } from './links'

it.each([
  ['#limits', '#limits'],
  ['https://example.com/a', 'https://example.com/a'],
  ['../../public/schemas/workflow-1.json', '/schemas/workflow-1.json'],
  ['../../spec/conformance/README.md', null],
  // Nothing but what stands above: a page cannot run a script or leave by another protocol.
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['http://example.com', null],
  ['//example.com', null],
])('%s leads to %s', (href, to) => expect(hrefOf(href)).toBe(to))
