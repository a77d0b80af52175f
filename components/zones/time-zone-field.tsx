'use client';

import { useId } from 'react';
import { FIELD } from './form-parts.tsx';

export interface TimeZoneFieldProps {
  /** IANA name. */
  readonly value: string;
  readonly isRefused?: boolean;
  readonly onChange: (value: string) => void;
}

export function TimeZoneField({ value, isRefused = false, onChange }: TimeZoneFieldProps) {
  const id = useId();
  return (
    <>
      <label className="flex items-center justify-between gap-2">
        Time zone
        <input
          list={id}
          value={value}
          spellCheck={false}
          autoComplete="off"
          aria-invalid={isRefused}
          onChange={(event) => onChange(event.target.value)}
          className={`${FIELD} max-w-56`}
        />
      </label>
      <datalist id={id}>
        {Intl.supportedValuesOf('timeZone').map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
