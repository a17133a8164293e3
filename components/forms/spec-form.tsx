'use client'

import { Form } from '@rjsf/shadcn'
import type { RJSFSchema } from '@rjsf/utils'
import { type ReactNode, useMemo, useState } from 'react'
import type { Fields, Json } from '@/spec'
import { type FormData, toInput } from './form-data'
import { JsonField } from './json-field'
import { NumberField } from './number-field'
import { errorsByField, type FieldProblem, specValidator } from './spec-validator'
import { ArrayFieldItemTemplate, ArrayFieldTemplate, FieldErrorTemplate, FieldTemplate, ObjectFieldTemplate } from './templates'
import { uiSchemaOf } from './ui-schema'
import { BaseInput, CheckboxWidget, SelectWidget, TextareaWidget } from './widgets'

const templates = {
  FieldTemplate,
  FieldErrorTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  BaseInputTemplate: BaseInput,
}
const widgets = { SelectWidget, TextareaWidget, CheckboxWidget }
const fieldKinds = { JsonField, NumberField }
// By itself the library answers a required yes-or-no with "no": that is for the person to say.
const defaults = { requiredBooleanDefault: 'skip' } as const

type SpecFormProps = {
  /** Unique on the page; other forms' buttons may refer to it by `form={id}`. */
  id: string
  fields: Fields
  /** JSON Schema 2020-12 of the same fields. */
  schema: Json
  initial?: FormData
  /** The server's problems with what was sent last; pointers into it. They go away with the next change. */
  problems?: FieldProblem[]
  disabled?: boolean
  onSubmit: (input: Record<string, Json>) => void
  onChange?: () => void
  /** What stands below the fields: the buttons. */
  children: ReactNode
}

/** A form made from the fields that a workflow declares: for starting a run, and for what an approver fills in. */
export function SpecForm({ id, fields, schema, initial, problems, disabled, onSubmit, onChange, children }: SpecFormProps) {
  const [data, setData] = useState<FormData>(initial ?? {})
  const [tried, setTried] = useState(false)
  const validator = useMemo(() => specValidator(fields), [fields])
  const uiSchema = useMemo(() => uiSchemaOf(fields), [fields])
  const extraErrors = useMemo(() => errorsByField(problems ?? []), [problems])
  return (
    <Form
      id={id}
      idPrefix={id}
      schema={schema as RJSFSchema}
      uiSchema={uiSchema}
      validator={validator}
      formData={data}
      extraErrors={extraErrors}
      templates={templates}
      widgets={widgets}
      fields={fieldKinds}
      disabled={disabled}
      experimental_defaultFormStateBehavior={defaults}
      noHtml5Validate
      showErrorList={false}
      focusOnFirstError
      // Nobody is told off while still typing; after the first try each correction is acknowledged at once.
      liveValidate={tried ? 'onChange' : false}
      onChange={(event) => {
        setData(event.formData ?? {})
        onChange?.()
      }}
      onError={() => setTried(true)}
      onSubmit={(event) => onSubmit(toInput(fields, event.formData))}
    >
      {children}
    </Form>
  )
}
