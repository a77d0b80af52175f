'use client';

import { type DestinationConfig, type KindField, kindRow } from '#lib/api/outputs/destination-kinds.ts';
import { formatBbox } from '#lib/geo/bbox.ts';
import { boxFromCorners, type Corners, corners } from '#lib/geo/corners.ts';
import { parseBbox } from '#lib/geo/parse-bbox.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { NumberField, ParsedRow, Problem, TextRow, ToggleRow } from '../ui/form-fields.tsx';
import { SwitchRow } from '../ui/switch-row.tsx';

interface KindFieldsProps {
  readonly config: DestinationConfig;
  /** The problems by the name of their field. */
  readonly problems: Readonly<Partial<Record<string, string>>>;
  readonly onChange: (config: DestinationConfig) => void;
}

/**
 * The fields of a kind, as its row in `DESTINATION_KINDS` lists them: a new kind needs no other form. The server validates
 * the values, and names the refused field.
 */
export function KindFields({ config, problems, onChange }: KindFieldsProps) {
  const values: Readonly<Record<string, unknown>> = config;
  return kindRow(config).fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      value={values[field.name]}
      problem={problems[field.name]}
      onChange={(value) => onChange({ ...config, [field.name]: value })}
    />
  ));
}

interface FieldProps {
  readonly field: KindField;
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function Field({ field, value, problem, onChange }: FieldProps) {
  const { label } = field;
  switch (field.input) {
    case 'text':
    case 'url': {
      const { input, name: _, ...row } = field;
      return <TextRow {...row} type={input} value={String(value)} problem={problem} onChange={onChange} />;
    }
    case 'number':
      return (
        <>
          <NumberField
            label={label}
            unit={field.unit}
            value={Number(value)}
            min={field.min}
            max={field.max}
            onChange={(typed) => typed !== null && onChange(Math.round(typed))}
          />
          <Problem text={problem} />
        </>
      );
    case 'list':
      return (
        <ParsedRow
          label={label}
          note={field.note}
          value={value as readonly string[]}
          problem={problem}
          shown={(list) => list.join(', ')}
          read={(typed) => ({ value: typed.split(/[\s,;]+/).filter(Boolean) })}
          onChange={onChange}
        />
      );
    case 'box':
      return (
        <ParsedRow
          label={label}
          note={field.note}
          placeholder={field.placeholder}
          value={value as Corners | null}
          problem={problem}
          shown={(box) => (box === null ? '' : formatBbox(boxFromCorners(box)))}
          read={readBox}
          onChange={onChange}
        />
      );
    case 'choice':
      return (
        <>
          <ChoiceRow
            label={label}
            value={String(value)}
            choices={field.choices.map((choice) => ({ ...choice, value: String(choice.value) }))}
            onChange={(text) => onChange(field.choices.find((choice) => String(choice.value) === text)?.value)}
          />
          <Problem text={problem} />
        </>
      );
    case 'choices':
      return (
        <ToggleRow
          label={label}
          chosen={(value as readonly unknown[]).map(String)}
          choices={field.choices.map((choice) => ({ ...choice, value: String(choice.value) }))}
          onChange={(texts) =>
            onChange(field.choices.flatMap((choice) => (texts.includes(String(choice.value)) ? [choice.value] : [])))
          }
        />
      );
    case 'group': {
      const values = value as Readonly<Record<string, unknown>> | null;
      return (
        <>
          <SwitchRow
            label={label}
            note={field.note}
            checked={values !== null}
            onChange={(isOn) => onChange(isOn ? field.starts : null)}
          />
          {values &&
            field.fields.map((inner) => (
              <Field
                key={inner.name}
                field={inner}
                value={values[inner.name]}
                problem={undefined}
                onChange={(typed) => onChange({ ...values, [inner.name]: typed })}
              />
            ))}
          {/* The server names the group alone. */}
          <Problem text={problem} />
        </>
      );
    }
  }
}

function readBox(typed: string): { readonly value: Corners | null } | { readonly problem: string } {
  if (typed.trim() === '') return { value: null };
  const parsed = parseBbox(typed.replaceAll(' ', ''));
  return parsed.ok ? { value: corners(parsed.bbox) } : { problem: `${parsed.message}.` };
}
