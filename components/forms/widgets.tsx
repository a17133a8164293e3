'use client'

import {
  type BaseInputTemplateProps,
  enumOptionSelectedValue,
  enumOptionValueDecoder,
  enumOptionValueEncoder,
  getInputProps,
  getOptionValueFormat,
  type WidgetProps,
} from '@rjsf/utils'
import { Input, Select, Textarea } from '@/components/ui/field'
import { wiring } from './wiring'

/*
 * The theme's own controls, where ours do better: each is named by its label, says by aria-invalid and aria-describedby what
 * is wrong with it, and the select is the browser's own.
 */

export function BaseInput(props: BaseInputTemplateProps) {
  const { id, htmlName, type, value, schema, options, onChange, onChangeOverride, onBlur, onFocus, placeholder, disabled, readonly } = props
  // The browser's own number box drops what it does not like while one types: "12,50" would become 1250.
  const isNumber = schema.type === 'number' || schema.type === 'integer'
  const isPassword = type === 'password'
  return (
    <Input
      id={id}
      name={htmlName ?? id}
      placeholder={placeholder}
      disabled={disabled}
      readOnly={readonly}
      // Browsers fill a kept password into any field for one that does not say it is new.
      autoComplete={isPassword ? 'new-password' : 'off'}
      {...(isNumber ? { type: 'text', inputMode: inputModeOf(schema) } : getInputProps(schema, type, options))}
      {...(isPassword ? { type: 'password' } : {})}
      // The browser's own limits would block the form with words that are not ours.
      min={undefined}
      max={undefined}
      value={value ?? ''}
      onChange={onChangeOverride ?? ((event) => onChange(event.target.value === '' ? undefined : event.target.value))}
      onBlur={(event) => onBlur(id, event.target.value)}
      onFocus={(event) => onFocus(id, event.target.value)}
      {...wiring(props)}
    />
  )
}

/** The keyboard a phone shows. Those for numbers have no minus on some phones. */
function inputModeOf({ type, minimum }: BaseInputTemplateProps['schema']): 'text' | 'numeric' | 'decimal' {
  if (minimum !== undefined && minimum < 0) return 'text'
  return type === 'integer' ? 'numeric' : 'decimal'
}

export function TextareaWidget(props: WidgetProps) {
  const { id, htmlName, value, schema, onChange, onBlur, onFocus, placeholder, disabled, readonly } = props
  // Spelling may be checked by somebody else's server.
  const hidden = { autoComplete: 'off', spellCheck: false, className: '[-webkit-text-security:disc]' }
  return (
    <Textarea
      {...(schema.writeOnly === true ? hidden : {})}
      id={id}
      name={htmlName ?? id}
      placeholder={placeholder}
      disabled={disabled}
      readOnly={readonly}
      rows={4}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      onBlur={(event) => onBlur(id, event.target.value)}
      onFocus={(event) => onFocus(id, event.target.value)}
      {...wiring(props)}
    />
  )
}

export function SelectWidget(props: WidgetProps) {
  const { id, htmlName, value, options, required, onChange, onBlur, onFocus, disabled, readonly, placeholder } = props
  const { enumOptions } = options
  const format = getOptionValueFormat(options)
  const decode = (text: string) => (text === '' ? undefined : enumOptionValueDecoder(text, enumOptions, format, undefined))
  return (
    <Select
      id={id}
      name={htmlName ?? id}
      disabled={disabled || readonly}
      // Never undefined: the browser would choose the first option by itself, and nobody would know.
      value={value === undefined || value === null ? '' : (enumOptionSelectedValue(value, enumOptions, false, format, '') as string)}
      onChange={(event) => onChange(decode(event.target.value))}
      onBlur={(event) => onBlur(id, decode(event.target.value))}
      onFocus={(event) => onFocus(id, decode(event.target.value))}
      {...wiring(props)}
    >
      <option value="">{placeholder || (required ? 'Please choose' : 'Nothing chosen')}</option>
      {enumOptions?.map((option, index) => (
        <option key={String(option.label)} value={enumOptionValueEncoder(option.value, index, format)}>
          {option.label}
        </option>
      ))}
    </Select>
  )
}

export function CheckboxWidget(props: WidgetProps) {
  const { id, htmlName, value, label, onChange, disabled, readonly } = props
  return (
    <label htmlFor={id} className="flex min-h-8 items-center gap-2.5 text-sm font-medium">
      <input
        id={id}
        name={htmlName ?? id}
        type="checkbox"
        className="size-4.5 accent-primary"
        disabled={disabled || readonly}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
        {...wiring(props)}
      />
      {label}
    </label>
  )
}
