'use client';

import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';

/**
 * Fields of the forms for zones and destinations: each shows its label, its value and why the value is refused. A field
 * reports valid values only, and keeps what an operator has typed so far. It never reads or sends anything.
 */
export const FIELD =
  'min-h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 placeholder:text-dim aria-invalid:border-bad phone:min-h-11';

/** The grid of a form on a page: two fields in a row, and everything that is no field in a row of its own. */
export const FORM_GRID =
  'grid max-w-3xl grid-cols-2 items-start gap-x-6 gap-y-3 phone:grid-cols-1 [&>:is(p,h3,button,[data-whole-row])]:col-span-full [&>button]:justify-self-start';

/** Why a value is refused; without a text, nothing. */
export function Problem({ id, text }: { readonly id?: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p id={id} role="alert" className="text-bad text-caption">
      {text}
    </p>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly problem: string | undefined;
}

interface TextRowProps extends LabelledProps {
  readonly value: string;
  readonly type?: 'text' | 'password' | 'url';
  readonly placeholder?: string;
  /** Whether the field has many lines, as for a PEM. */
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

interface ParsedRowProps<Value> extends LabelledProps {
  readonly value: Value;
  readonly placeholder?: string;
  readonly shown: (value: Value) => string;
  /** A `problem` leaves the value unchanged. */
  readonly read: (text: string) => { readonly value: Value } | { readonly problem: string };
  readonly onChange: (value: Value) => void;
}

/** A value that is typed as text. Text that cannot be read yet stays in the field, with its problem. */
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

interface NumberFieldProps {
  readonly label: string;
  readonly unit: string;
  /** null if no value is stated. */
  readonly value: number | null;
  /** Without it, an empty field is a mistake. */
  readonly emptyMeans?: string;
  readonly min?: number;
  readonly max?: number;
  /** Converts a value to the displayed unit; none is converted by default. */
  readonly shown?: (value: number) => number;
  readonly stored?: (value: number) => number;
  readonly onChange: (value: number | null) => void;
}

const same = (value: number) => value;

/** Valid input applies at once. Invalid input changes nothing, and shows its problem. */
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
        <span className="min-w-0 flex-1">{props.label}</span>
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

interface TimeZoneFieldProps {
  /** The zone's IANA name. */
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

interface ToggleRowProps<Choice extends string> {
  readonly label: string;
  /** Whether the label has the weight of text. */
  readonly isPlain?: boolean;
  readonly chosen: readonly Choice[];
  readonly choices: readonly { readonly value: Choice; readonly label: string }[];
  readonly onChange: (chosen: Choice[]) => void;
}

/** Several choices at once. The last chosen one cannot be switched off. */
export function ToggleRow<Choice extends string>({
  label,
  isPlain = false,
  chosen,
  choices,
  onChange,
}: ToggleRowProps<Choice>) {
  return (
    <fieldset className="min-w-0">
      <legend className={isPlain ? 'mb-1' : 'mb-1 font-medium'}>{label}</legend>
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
        {chosen.length === 1 && choices.length > 1 && (
          <span className="self-center pl-1 text-caption text-dim">At least one</span>
        )}
      </div>
    </fieldset>
  );
}

interface FormPartProps {
  readonly title: string;
  /** The present setting, shown while the part is closed. Without it, the part is always open. */
  readonly closedText?: string;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

/** A part of a long form, which opens itself for a problem. */
export function FormPart({ title, closedText, problem, children }: FormPartProps) {
  const id = useId();
  const [isOpened, setOpened] = useState(false);
  const isOpen = closedText === undefined || isOpened || problem !== undefined;
  const Chevron = isOpen ? ChevronUp : ChevronDown;
  return (
    <fieldset
      aria-describedby={problem === undefined ? undefined : id}
      className="flex min-w-0 flex-col gap-2 border-line border-b px-4 py-2"
    >
      <legend className="sr-only">{title}</legend>
      {closedText === undefined ? (
        <p aria-hidden className="font-semibold">
          {title}
        </p>
      ) : (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpened(!isOpen)}
          className="flex min-h-7 items-center gap-2 text-left phone:min-h-11"
        >
          <span className="shrink-0 font-semibold">{title}</span>
          <span className="min-w-0 flex-1 truncate text-right text-dim">{isOpen ? '' : closedText}</span>
          <Chevron aria-hidden size={14} className="shrink-0 text-dim" />
        </button>
      )}
      {isOpen && children}
      {problem !== undefined && (
        <p id={id} role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'password' | 'number';
  readonly autoComplete?: string;
  /** The limit in Unicode characters. */
  readonly maxLength?: number;
  /** Of a number. */
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: number;
  readonly optional?: boolean;
  readonly note?: string;
}

export function TextField({
  label,
  type = 'text',
  autoComplete = 'off',
  maxLength,
  optional = false,
  note,
  ...input
}: TextFieldProps) {
  return (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <input
        {...input}
        type={type}
        autoComplete={autoComplete}
        // Browsers count UTF-16 units here: up to two per character.
        maxLength={maxLength && 2 * maxLength}
        required={!optional}
        spellCheck={false}
        autoCapitalize="none"
        className={`${FIELD} font-normal`}
      />
      {note !== undefined && <span className="font-normal text-caption text-dim">{note}</span>}
    </label>
  );
}

interface ChoiceFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange?: (value: string) => void;
}

export function ChoiceField({ label, name, value, choices, onChange }: ChoiceFieldProps) {
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
