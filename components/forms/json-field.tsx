'use client'

import type { FieldProps } from '@rjsf/utils'
import { useState } from 'react'
import { Textarea } from '@/components/ui/field'
import { wiring } from './wiring'

/**
 * For a list or an object whose members the workflow does not declare: plain JSON. Text that is not (yet) JSON is handed on
 * as text, which is of the wrong type, so that the form cannot be sent with less than what stands in it.
 */
export function JsonField({ fieldPathId, formData, onChange, rawErrors, schema, name, title, required }: FieldProps) {
  const [text, setText] = useState(formData === undefined ? '' : JSON.stringify(formData, null, 2))
  const [broken, setBroken] = useState(false)
  const id = fieldPathId.$id
  const change = (next: string) => {
    setText(next)
    const read = parse(next)
    setBroken(!read.ok)
    onChange(read.ok ? read.value : next, fieldPathId.path)
  }
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {title ?? schema.title ?? name} {!required && <span className="font-normal text-muted-foreground">(optional)</span>}
      </label>
      <Textarea
        id={id}
        className="font-mono"
        rows={5}
        spellCheck={false}
        placeholder={schema.type === 'array' ? '[ … ]' : '{ … }'}
        value={text}
        onChange={(event) => change(event.target.value)}
        {...wiring({ id, rawErrors: broken ? ['broken'] : rawErrors, schema })}
      />
      <p className="text-sm text-muted-foreground">{broken ? 'This is not JSON yet.' : 'As JSON.'}</p>
    </div>
  )
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false }
  }
}
