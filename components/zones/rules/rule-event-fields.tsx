'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LENGTH_UNIT, lengthIn, metresFrom, mpsFrom, SPEED_UNIT, speedIn, type UnitSystem } from '#lib/model/units.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { inputsOf, kindOf, type RuleInput } from '#lib/zones/rule-kinds.ts';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { NumberField } from '../number-field.tsx';

export interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

/** The fields of the rule's kind, as the table of kinds describes them. */
export function RuleEventFields({ rule, onChange }: RuleFieldsProps) {
  const [{ units }] = usePreferences();
  const values: Readonly<Record<string, unknown>> = rule;
  return inputsOf(kindOf(rule)).map(([name, input]) => {
    const set = (value: unknown) => onChange({ ...rule, [name]: value });
    if ('choices' in input)
      return (
        <ChoiceRow
          key={name}
          label={input.label}
          hidesLabel
          value={values[name] as string}
          choices={input.choices}
          onChange={set}
        />
      );
    const { label, unit, min, max, emptyMeans } = input;
    return (
      <NumberField
        key={name}
        label={label}
        {...measureOf(unit, units)}
        value={values[name] as number | null}
        min={min}
        max={max}
        {...(emptyMeans !== undefined && { emptyMeans })}
        onChange={(value) => (value !== null || emptyMeans !== undefined) && set(value)}
      />
    );
  });
}

function measureOf(unit: Extract<RuleInput, { unit: unknown }>['unit'], units: UnitSystem) {
  switch (unit) {
    case 's':
      return { unit };
    case 'min':
      return { unit, shown: (value: number) => value / 60, stored: (value: number) => value * 60 };
    case 'length':
      return {
        unit: LENGTH_UNIT[units],
        shown: (value: number) => lengthIn(units, value),
        stored: (value: number) => metresFrom(units, value),
      };
    case 'speed':
      return {
        unit: SPEED_UNIT[units],
        shown: (value: number) => speedIn(units, value),
        stored: (value: number) => mpsFrom(units, value),
      };
  }
}
