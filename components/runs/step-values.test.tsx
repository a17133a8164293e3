import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { InAndOut } from './step-values'

it('tells an output that is too large for the page from one that is not there', () => {
  const html = renderToString(<InAndOut of={{ input: null, inputOmitted: null, output: null, outputOmitted: 1_048_576 }} />)
  expect(html).toContain('Kept, but too large to show here: 1,024 KiB of JSON.')
  expect(html.split('nothing')).toHaveLength(2)
})
