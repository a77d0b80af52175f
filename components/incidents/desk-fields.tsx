'use client';

import { useState } from 'react';
import { useDeskPreferences } from '#lib/client/page/desk.tsx';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import { timeFieldMs, timeFieldText } from '#lib/model/clock-text.ts';
import { FIELD, ParsedRow } from '../ui/form-fields.tsx';

/** Fields that the forms about incidents share: a time, a place, and words. */

interface TimeFieldProps {
  readonly label: string;
  readonly ms: number;
  readonly hasSeconds?: boolean;
  readonly problem?: string | undefined;
  readonly onChange: (ms: number) => void;
}

export function TimeField({ label, ms, hasSeconds = true, problem, onChange }: TimeFieldProps) {
  const [{ zone: clock }] = useDeskPreferences();
  return (
    <label className="flex min-w-0 flex-col gap-1 font-medium">
      {label}, {clock === 'utc' ? 'UTC' : 'local time'}
      <input
        type="datetime-local"
        required
        step={hasSeconds ? 1 : 60}
        defaultValue={timeFieldText(ms, clock, hasSeconds)}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => {
          const read = timeFieldMs(target.value, clock);
          if (read !== undefined) onChange(read);
        }}
        className={`${FIELD} font-normal`}
      />
      {problem !== undefined && (
        <span role="alert" className="font-normal text-bad text-caption">
          {problem}
        </span>
      )}
    </label>
  );
}

interface PlaceFieldProps {
  readonly label: string;
  readonly place: LonLat | undefined;
  /** Default: an empty field is no place. */
  readonly isRequired?: boolean;
  readonly onChange: (place: LonLat | undefined) => void;
}

/** Coordinates in any form that the search reads. */
export function PlaceField({ label, place, isRequired = false, onChange }: PlaceFieldProps) {
  const [isTouched, setTouched] = useState(false);
  return (
    <ParsedRow
      label={label}
      value={place}
      placeholder="47.458, 8.548"
      problem={isRequired && isTouched && !place ? 'Write the place as 47.458, 8.548.' : undefined}
      shown={(shown) => (shown ? decimalText(shown) : '')}
      read={(text) => {
        if (text.trim() === '') return { value: undefined };
        const read = parseCoordinates(text);
        if (!read) return { problem: 'Write the place as 47.458, 8.548.' };
        return read.ok ? { value: read.place } : { problem: read.problem };
      }}
      onChange={(changed) => {
        setTouched(true);
        onChange(changed);
      }}
    />
  );
}

interface WordsFieldProps {
  readonly label: string;
  readonly text: string;
  readonly maxLength: number;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly field?: React.Ref<HTMLTextAreaElement>;
  readonly onChange: (text: string) => void;
}

/** Ctrl+Enter sends its form. */
export function WordsField({ label, text, field, rows = 3, onChange, ...rest }: WordsFieldProps) {
  return (
    <label className="flex min-w-0 flex-col gap-1 font-medium">
      {label}
      <textarea
        {...rest}
        ref={field}
        rows={rows}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        className={`${FIELD} py-1 font-normal`}
      />
    </label>
  );
}
