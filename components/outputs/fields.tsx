'use client';

import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { FIELD } from '../zones/form-parts.tsx';

interface LabelledProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly problem: string | undefined;
}

interface TextRowProps extends LabelledProps {
  readonly value: string;
  readonly type?: 'text' | 'password' | 'url';
  readonly placeholder?: string;
  /** A PEM has many lines. */
  readonly isLong?: boolean;
  readonly onChange: (value: string) => void;
}

export function TextRow({ label, note, problem, isLong = false, type = 'text', onChange, ...input }: TextRowProps) {
  const id = useId();
  const described = [note !== undefined && `${id}-note`, problem !== undefined && `${id}-problem`].filter(Boolean);
  const attributes = {
    ...input,
    id,
    spellCheck: false,
    autoCapitalize: 'none',
    'aria-invalid': problem !== undefined,
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  };
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {isLong ? (
        <textarea
          {...attributes}
          rows={3}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          className={`${FIELD} py-1 font-mono text-caption`}
        />
      ) : (
        <input
          {...attributes}
          type={type}
          // No password manager fills in the operator’s own.
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          onChange={(event) => onChange(event.target.value)}
          className={FIELD}
        />
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

export function Problem({ id, text }: { readonly id?: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p id={id} role="alert" className="text-bad text-caption">
      {text}
    </p>
  );
}

interface ParsedRowProps<Value> extends LabelledProps {
  readonly value: Value;
  readonly placeholder?: string;
  readonly shown: (value: Value) => string;
  /** `problem` leaves the value unchanged. */
  readonly read: (text: string) => { readonly value: Value } | { readonly problem: string };
  readonly onChange: (value: Value) => void;
}

/** Keeps unfinished text. */
export function ParsedRow<Value>({ value, shown, read, problem, onChange, ...row }: ParsedRowProps<Value>) {
  const [text, setText] = useState(() => shown(value));
  const result = read(text);
  return (
    <TextRow
      {...row}
      value={text}
      problem={'problem' in result ? result.problem : problem}
      onChange={(typed) => {
        setText(typed);
        const changed = read(typed);
        if ('value' in changed) onChange(changed.value);
      }}
    />
  );
}

interface ToggleRowProps<Choice extends string> {
  readonly label: string;
  readonly chosen: readonly Choice[];
  readonly choices: readonly { readonly value: Choice; readonly label: string }[];
  readonly onChange: (chosen: Choice[]) => void;
}

/** At least one stays chosen. */
export function ToggleRow<Choice extends string>({ label, chosen, choices, onChange }: ToggleRowProps<Choice>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1">
        {choices.map(({ value, label: text }) => {
          const isOn = chosen.includes(value);
          return (
            <Button
              key={value}
              look={isOn ? 'primary' : 'plain'}
              aria-pressed={isOn}
              disabled={isOn && chosen.length === 1}
              onClick={() => onChange(isOn ? chosen.filter((each) => each !== value) : [...chosen, value])}
            >
              {text}
            </Button>
          );
        })}
      </div>
    </fieldset>
  );
}
