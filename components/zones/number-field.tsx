'use client';

import { useId, useState } from 'react';

export interface NumberFieldProps {
  readonly label: string;
  /** Only screen readers get the label. */
  readonly hidesLabel?: boolean;
  readonly unit: string;
  /** null: not stated. */
  readonly value: number | null;
  /** Without it, an empty field is a mistake. */
  readonly emptyMeans?: string;
  readonly min?: number;
  readonly max?: number;
  /** In the displayed unit. Default: no conversion. */
  readonly shown?: (value: number) => number;
  readonly stored?: (value: number) => number;
  readonly onChange: (value: number | null) => void;
}

const same = (value: number) => value;

/** Valid input applies at once; invalid input changes nothing. */
export function NumberField(props: NumberFieldProps) {
  const { value, unit, shown = same } = props;
  const [text, setText] = useState(() => textOf(value, shown));
  const [problem, setProblem] = useState<string>();
  const [applied, setApplied] = useState({ value, unit });
  // Another value or unit replaces typed text.
  if (applied.value !== value || applied.unit !== unit) {
    setApplied({ value, unit });
    setText(textOf(value, shown));
    setProblem(undefined);
  }
  const id = useId();
  const change = (typed: string) => {
    setText(typed);
    const read = readNumber(typed, props);
    setProblem(read.problem);
    if (read.problem !== undefined) return;
    setApplied({ value: read.value, unit });
    props.onChange(read.value);
  };
  return (
    <div className="min-w-0">
      <label className="flex items-center gap-2">
        <span className={props.hidesLabel ? 'sr-only' : 'min-w-0 flex-1'}>{props.label}</span>
        <input
          inputMode="decimal"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : id}
          placeholder={props.emptyMeans}
          value={text}
          onChange={(event) => change(event.target.value)}
          className="h-8 w-24 min-w-0 rounded-control border border-edge bg-background px-2 text-right placeholder:text-dim aria-invalid:border-bad phone:h-11"
        />
        <span className="w-8 shrink-0 text-dim">{unit}</span>
      </label>
      {problem !== undefined && (
        <p id={id} role="alert" className="mt-1 text-bad text-caption">
          {problem}
        </p>
      )}
    </div>
  );
}

type ReadNumber =
  | { readonly value: number | null; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

function readNumber(
  text: string,
  {
    emptyMeans,
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    unit,
    shown = same,
    stored = same,
  }: NumberFieldProps,
): ReadNumber {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return emptyMeans === undefined ? { problem: 'Write a number.' } : { value: null };
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return { problem: `“${text.trim()}” is not a number.` };
  const value = Number(stored(number).toFixed(6));
  if (value < min) return { problem: `At least ${textOf(min, shown)} ${unit}.` };
  if (value > max) return { problem: `At most ${textOf(max, shown)} ${unit}.` };
  return { value };
}

function textOf(value: number | null, shown: (value: number) => number): string {
  return value === null ? '' : String(Number(shown(value).toFixed(1)) + 0);
}
