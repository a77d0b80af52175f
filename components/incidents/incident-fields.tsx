'use client';

import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useId, useState } from 'react';
import { incidentsChanged } from '#lib/client/incidents/incidents-query.ts';
import { useNow } from '#lib/client/page/use-alarms.ts';
import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { type ClockZone, typedTimeMs } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { ChangeForm, ChangeNotes, useChange } from '../account/change.tsx';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { FIELD, Problem } from '../ui/form-fields.tsx';

/** The forms that change incidents: their fields, and how a form that is sent is read. */

interface IncidentFormProps<Result> extends Pick<ButtonProps, 'look' | 'disabled'> {
  /** Why it can no longer be sent; its text stays. */
  readonly shut?: string | undefined;
  readonly button: string;
  /** Shown while it is sent, with the time that it takes. */
  readonly busy?: string;
  readonly run: (fields: FormData) => Promise<Result>;
  readonly onDone: (result: Result) => void;
  readonly children?: ReactNode;
}

/** A form that changes an incident, with why it was refused. */
export function IncidentForm<Result>({
  button,
  look = 'primary',
  disabled = false,
  shut,
  busy,
  run,
  onDone,
  children,
}: IncidentFormProps<Result>) {
  const change = useChange(incidentsChanged);
  const send = async (fields: FormData) => {
    try {
      onDone(await run(fields));
    } catch (error) {
      if (error instanceof LookoutRequestError && error.code === 'revision_conflict')
        throw refused('Not done: a colleague changed it first. Look at the change above, and open this again.');
      throw error;
    }
    return '';
  };
  return (
    <>
      {shut !== undefined && (
        <p role="alert" className="text-warning">
          {shut}
        </p>
      )}
      <ChangeForm change={change} onSubmit={send}>
        {children}
        <Button type="submit" look={look} disabled={disabled || shut !== undefined || change.isSending}>
          {button}
        </Button>
      </ChangeForm>
      {change.isSending && busy !== undefined && <Busy text={busy} />}
      <ChangeNotes change={change} />
    </>
  );
}

/** A request that failed, in a sentence. */
export function Failed({ what, error }: { readonly what: string; readonly error: Error }) {
  return (
    <p role="alert" className="text-bad">
      {what} {failureMessage(error)}
    </p>
  );
}

function Busy({ text }: { readonly text: string }) {
  const now = useNow();
  const [since] = useState(now);
  const tookMs = now === undefined || since === undefined ? 0 : epochMs(now) - epochMs(since);
  return (
    <p role="status">
      {text}… {tookMs > 0 && durationText(tookMs)}
    </p>
  );
}

/** Takes the element of a field, which a dialog focuses first. */
export type FieldRef = (field: HTMLElement | null) => void;

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly note?: string;
  /** Default: one line of text. */
  readonly kind?: 'line' | 'text' | 'time' | 'number';
  /** A longer text is refused, never cut. */
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
  maxLength = Number.POSITIVE_INFINITY,
  optional = false,
  unit,
  field,
}: FieldProps) {
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const attributes = {
    id,
    name,
    ref: field,
    // As the clock is written on the page, where “T” is no word.
    defaultValue: kind === 'time' ? value.replace('T', ' ') : value,
    required: !optional,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-note ${id}-problem`,
    onInput: ({ currentTarget }: SyntheticEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      const { length } = currentTarget.value.trim();
      const text =
        length > maxLength ? `${groupedNumber(length)} characters: at most ${groupedNumber(maxLength)}.` : undefined;
      currentTarget.setCustomValidity(text ?? '');
      setProblem(text);
    },
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
            {...(kind === 'number' && { inputMode: 'decimal' })}
            {...(kind === 'time' && { spellCheck: false, placeholder: '14:05' })}
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
      <Problem id={`${id}-problem`} text={problem} />
    </div>
  );
}

function sendByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}

/** A sentence about a field, shown as a refusal of the server. */
export function refused(said: string): LookoutRequestError {
  return new LookoutRequestError('refused', { said });
}

export function fieldText(fields: FormData, name: string): string {
  return String(fields.get(name) ?? '').trim();
}

/** A range with both ends. */
export type Limits = readonly [min: number, max: number];

/** `undefined`: the field is empty. @throws LookoutRequestError */
export function fieldNumber(fields: FormData, name: string, label: string, limits?: Limits): number | undefined {
  const text = fieldText(fields, name).replace(',', '.');
  const value = Number(text);
  if (text === '') return undefined;
  if (!Number.isFinite(value)) throw refused(`${label}: “${text}” is not a number.`);
  if (limits && !(value >= limits[0] && value <= limits[1])) throw refused(`${label}: ${limits[0]} to ${limits[1]}.`);
  return value;
}

/** RFC 3339; `undefined`: the field is empty. @throws LookoutRequestError */
export function fieldTime(fields: FormData, name: string, zone: ClockZone): string | undefined {
  const text = fieldText(fields, name);
  if (text === '') return undefined;
  const ms = typedTimeMs(text, zone, upstreamInstant(Date.now()));
  if (ms === undefined) throw refused(`“${text}” is no time: write it as 14:05, or 2026-11-27 14:05:30.`);
  return new Date(ms).toISOString();
}

/** `undefined`: the field is empty. @throws LookoutRequestError */
export function fieldPlace(fields: FormData, name: string): [lon: number, lat: number] | undefined {
  const text = fieldText(fields, name);
  if (text === '') return undefined;
  const read = parseCoordinates(text);
  if (!read) throw refused(`“${text}” is no place: write it as 47.45, 8.55.`);
  if (!read.ok) throw refused(read.problem);
  return [read.place.lon, read.place.lat];
}

export function zoneNote(zone: ClockZone): string {
  return zone === 'utc' ? 'UTC' : 'local time';
}
