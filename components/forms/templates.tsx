'use client'

import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  buttonId,
  descriptionId,
  errorId,
  type FieldErrorProps,
  type FieldTemplateProps,
  type ObjectFieldTemplateProps,
} from '@rjsf/utils'
import { PlusIcon } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '@/components/ui/button'

/** Label, control, help and what is wrong, in this order. Most fields are required: the optional ones are marked. */
export function FieldTemplate(props: FieldTemplateProps) {
  const { id, fieldPathId, label, children, errors, hidden, required, displayLabel, rawDescription, schema, uiSchema } = props
  if (hidden) return <div className="hidden">{children}</div>
  const ownLabel = uiSchema?.['ui:widget'] === 'checkbox'
  return (
    <div className="grid gap-1.5">
      {displayLabel && !ownLabel && (
        <label htmlFor={id} className="text-sm font-medium">
          {typeof fieldPathId.path.at(-1) === 'number' ? itemTitle(label) : label}{' '}
          {!required && <span className="font-normal text-muted-foreground">(optional)</span>}
        </label>
      )}
      {children}
      {rawDescription && schema.type !== 'object' && schema.type !== 'array' && (
        <p id={descriptionId(id)} className="text-sm text-muted-foreground">
          {rawDescription}
        </p>
      )}
      {errors}
    </div>
  )
}

export function FieldErrorTemplate({ errors, fieldPathId }: FieldErrorProps) {
  if (!errors?.length) return null
  return (
    <ul id={errorId(fieldPathId)} className="text-sm text-destructive">
      {errors.map((error) => (
        <li key={String(error)}>{error}</li>
      ))}
    </ul>
  )
}

export function ObjectFieldTemplate({ title, description, properties, fieldPathId, required }: ObjectFieldTemplateProps) {
  const members = (
    <div className="grid gap-5">
      {properties.map((property) => (
        <div key={property.name}>{property.content}</div>
      ))}
    </div>
  )
  // The whole form is an object too, and needs no frame.
  if (fieldPathId.path.length === 0) return members
  return (
    <fieldset className="grid gap-4 rounded-lg border p-4" id={fieldPathId.$id}>
      <Legend
        title={typeof fieldPathId.path.at(-1) === 'number' ? itemTitle(title) : title}
        description={description}
        required={required}
      />
      {members}
    </fieldset>
  )
}

export function ArrayFieldTemplate({
  title,
  schema,
  items,
  canAdd,
  onAddClick,
  disabled,
  readonly,
  fieldPathId,
  required,
}: ArrayFieldTemplateProps) {
  const list = useRef<HTMLDivElement>(null)
  // How many there were when one was added, until the new one is there.
  const before = useRef<number | null>(null)
  useEffect(() => {
    if (before.current === null || items.length <= before.current) return
    before.current = null
    list.current?.lastElementChild?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [items.length])
  return (
    <fieldset className="grid gap-3 rounded-lg border p-4" id={fieldPathId.$id}>
      <Legend title={title} description={schema.description} required={required} />
      {items.length === 0 && <p className="text-sm text-muted-foreground">Nothing in this list yet.</p>}
      <div ref={list} className="contents">
        {items}
      </div>
      {canAdd && (
        <Button
          id={buttonId(fieldPathId, 'add')}
          variant="secondary"
          size="sm"
          className="w-fit"
          onClick={(event) => {
            before.current = items.length
            onAddClick(event)
          }}
          disabled={disabled || readonly}
        >
          <PlusIcon aria-hidden /> Add<span className="sr-only"> to {title}</span>
        </Button>
      )}
    </fieldset>
  )
}

export function ArrayFieldItemTemplate(props: ArrayFieldItemTemplateProps) {
  const { children, buttonsProps, hasToolbar } = props
  const { ArrayFieldItemButtonsTemplate: Buttons } = props.registry.templates
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-48 grow basis-60">{children}</div>
      {hasToolbar && (
        <div className="flex gap-1">
          <Buttons {...buttonsProps} />
        </div>
      )}
    </div>
  )
}

/** The library calls the items of a list "Tags-1": that is "Tags 1" to people. */
function itemTitle(title: string): string {
  return title.replace(/-(\d+)$/, ' $1')
}

function Legend({ title, description, required }: { title: string; description?: React.ReactNode; required?: boolean | undefined }) {
  return (
    <>
      <legend className="px-1 text-sm font-medium">
        {title} {!required && <span className="font-normal text-muted-foreground">(optional)</span>}
      </legend>
      {description && <div className="text-sm text-muted-foreground">{description}</div>}
    </>
  )
}
