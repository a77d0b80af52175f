'use client';

import { type DestinationKind, kindRow, type SimpleField } from '#lib/api/outputs/destination-kinds.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { NumberField } from '../zones/number-field.tsx';
import { CotFields } from './cot-fields.tsx';
import type { KindFieldsProps } from './destination-draft.ts';
import { ParsedRow, Problem, TextRow } from './fields.tsx';

/** The fields of a kind, as its row in `DESTINATION_KINDS` lists them. */
export function KindFields({ config, problems, onChange }: KindFieldsProps<DestinationKind>) {
  const values: Readonly<Record<string, unknown>> = config;
  return kindRow(config).fields.map((field) =>
    field.input === 'positions' ? (
      config.kind === 'cot' && <CotFields key={field.name} config={config} problems={problems} onChange={onChange} />
    ) : (
      <OneField
        key={field.name}
        field={field}
        value={values[field.name]}
        problem={problems[field.name]}
        onChange={(value) => onChange({ ...config, [field.name]: value })}
      />
    ),
  );
}

interface OneFieldProps {
  readonly field: SimpleField;
  readonly value: unknown;
  readonly problem: string | undefined;
  readonly onChange: (value: unknown) => void;
}

function OneField({ field, value, problem, onChange }: OneFieldProps) {
  const { label } = field;
  switch (field.input) {
    case 'text':
    case 'url': {
      const { input, name: _, ...row } = field;
      return <TextRow {...row} type={input} value={String(value)} problem={problem} onChange={onChange} />;
    }
    case 'port':
      return (
        <>
          <NumberField
            label={label}
            unit=""
            value={Number(value)}
            min={1}
            max={65_535}
            onChange={(port) => port !== null && onChange(Math.round(port))}
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
  }
}
