'use client';

import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { type ClockZone, timeFieldMs } from '#lib/model/clock-text.ts';
import { FIELD } from '../ui/form-fields.tsx';

/** Fields of the forms of incidents, and how a form that is sent is read. */

/** Takes the element of a field, which a dialog focuses first. */
export type FieldRef = (field: HTMLElement | null) => void;

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly note?: string;
  /** Default: one line of text. */
  readonly kind?: 'line' | 'text' | 'time' | 'number';
  readonly maxLength?: number;
  readonly optional?: boolean;
  readonly unit?: string;
  readonly field?: FieldRef | undefined;
}

/** Ctrl+Enter sends the form of a long text. */
export function Field({
  label,
  name,
  value = '',
  note,
  kind = 'line',
  maxLength,
  optional = false,
  unit,
  field,
}: FieldProps) {
  const id = useId();
  const attributes = {
    id,
    name,
    ref: field,
    defaultValue: value,
    maxLength,
    required: !optional,
    'aria-describedby': note && `${id}-note`,
  };
  return (
    <div className="flex flex-col gap-1" {...(kind === 'text' && { 'data-whole-row': true })}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {kind === 'text' ? (
        <textarea {...attributes} rows={3} onKeyDown={sendByKey} className={`${FIELD} py-1`} />
      ) : (
        <span className="flex items-center gap-2">
          <input
            {...attributes}
            {...(kind === 'time' && { type: 'datetime-local', step: 1 })}
            {...(kind === 'number' && { inputMode: 'decimal' })}
            autoComplete="off"
            className={FIELD}
          />
          {unit !== undefined && <span className="text-dim">{unit}</span>}
        </span>
      )}
      {note !== undefined && (
        <p id={`${id}-note`} className="text-caption text-dim">
          {note}
        </p>
      )}
    </div>
  );
}

function sendByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange?: (value: string) => void;
  readonly children?: ReactNode;
}

export function ChoiceField({ label, name, value, choices, onChange }: ChoiceProps) {
  return (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <select
        name={name}
        defaultValue={value}
        onChange={({ target }) => onChange?.(target.value)}
        className={`${FIELD} font-normal`}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A sentence about a field, shown as a refusal of the server. */
export function refused(said: string): LookoutRequestError {
  return new LookoutRequestError('refused', { said });
}

export function textOf(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim();
}

/** A range with both ends. */
export type Limits = readonly [min: number, max: number];

/** `undefined`: the field is empty. @throws LookoutRequestError */
export function numberOf(fields: FormData, name: string, label: string, limits?: Limits): number | undefined {
  const text = textOf(fields, name).replace(',', '.');
  const value = Number(text);
  if (text === '') return undefined;
  if (!Number.isFinite(value)) throw refused(`${label}: “${text}” is not a number.`);
  if (limits && !(value >= limits[0] && value <= limits[1])) throw refused(`${label}: ${limits[0]} to ${limits[1]}.`);
  return value;
}

/** RFC 3339; `undefined`: the field is empty. */
export function timeOf(fields: FormData, name: string, zone: ClockZone): string | undefined {
  const ms = timeFieldMs(textOf(fields, name), zone);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** `undefined`: the field is empty. @throws LookoutRequestError */
export function placeOf(fields: FormData, name: string): [lon: number, lat: number] | undefined {
  const text = textOf(fields, name);
  if (text === '') return undefined;
  const read = parseCoordinates(text);
  if (!read) throw refused(`“${text}” is no place: write it as 47.45, 8.55.`);
  if (!read.ok) throw refused(read.problem);
  return [read.place.lon, read.place.lat];
}

export function zoneNote(zone: ClockZone): string {
  return zone === 'utc' ? 'UTC' : 'local time';
}
