'use client';

import { useId } from 'react';

export interface WindowFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

export function WindowField({ label, value, problem, onChange }: WindowFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-dim text-table">
        {label}
      </label>
      <input
        id={id}
        value={value}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full rounded-control border border-edge bg-raised px-2 font-mono text-table aria-invalid:border-bad phone:h-11"
      />
    </div>
  );
}
