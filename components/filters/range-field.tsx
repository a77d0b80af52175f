'use client';

import { useId, useState } from 'react';
import { readRange } from '#lib/filter/read-range.ts';
import type { ValueRange } from '#lib/filter/track-filter.ts';

export interface RangeFieldProps {
  readonly label: string;
  readonly unit: string;
  readonly range: ValueRange | undefined;
  readonly shown: (value: number) => number;
  readonly stored: (value: number) => number;
  readonly onChange: (range: ValueRange | undefined) => void;
}

/** Half-open; applied on Enter and blur. An invalid range changes nothing. */
export function RangeField({ label, unit, range, shown, stored, onChange }: RangeFieldProps) {
  const textOf = (value: number | undefined) =>
    value === undefined ? '' : String(Number(shown(value).toFixed(1)) + 0);
  const [from, to] = [textOf(range?.from), textOf(range?.to)];
  // Drops typed text when the range changes elsewhere.
  return (
    <Ends
      key={`${from}..${to} ${unit}`}
      label={label}
      unit={unit}
      from={from}
      to={to}
      stored={stored}
      onChange={onChange}
    />
  );
}

interface EndsProps extends Pick<RangeFieldProps, 'label' | 'unit' | 'stored' | 'onChange'> {
  readonly from: string;
  readonly to: string;
}

function Ends({ label, unit, from, to, stored, onChange }: EndsProps) {
  const id = useId();
  const [typed, setTyped] = useState({ from, to });
  const [problem, setProblem] = useState<string>();
  const apply = () => {
    if (typed.from === from && typed.to === to) {
      setProblem(undefined);
      return;
    }
    const read = readRange(typed.from, typed.to);
    setProblem(read.problem);
    if (read.problem !== undefined) return;
    const { range } = read;
    const convert = (value: number | undefined) => (value === undefined ? undefined : stored(value));
    onChange(range && { from: convert(range.from), to: convert(range.to) });
  };
  const field = (end: 'from' | 'to', name: string) => (
    <input
      inputMode="decimal"
      autoComplete="off"
      aria-label={`${label}, ${name}${unit === '' ? '' : `, ${unit}`}`}
      aria-invalid={problem !== undefined}
      {...(problem !== undefined && { 'aria-describedby': `${id}-problem` })}
      placeholder={name}
      value={typed[end]}
      onChange={(event) => setTyped({ ...typed, [end]: event.target.value })}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
      className="h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 text-right placeholder:text-left placeholder:text-dim aria-invalid:border-bad phone:h-11"
    />
  );
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex items-center gap-2">
        {field('from', 'from')}
        <span aria-hidden className="text-dim">
          –
        </span>
        {field('to', 'below')}
        <span className="w-8 shrink-0 text-dim">{unit}</span>
      </div>
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-bad text-caption">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
