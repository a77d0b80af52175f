'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LENGTH_UNIT, lengthIn, metresFrom, mpsFrom, SPEED_UNIT, speedIn } from '#lib/model/units.ts';
import type { Rule } from '#lib/zones/rule.ts';
import { HEIGHT_FIELDS } from '#lib/zones/zone.ts';
import { ChoiceRow } from '../../ui/choice-row.tsx';
import { NumberField } from '../number-field.tsx';

export interface RuleFieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: Rule) => void;
}

const BEYOND = [
  { value: 'above', label: 'Above' },
  { value: 'below', label: 'Below' },
] as const;

const FIELD_CHOICES = HEIGHT_FIELDS.map((value) => ({
  value,
  label: value === 'height_agl_m' ? 'Above ground (estimated)' : 'Altitude, datum not stated',
}));

export function RuleEventFields({ rule, onChange }: RuleFieldsProps) {
  const [{ units }] = usePreferences();
  const length = {
    unit: LENGTH_UNIT[units],
    shown: (value: number) => lengthIn(units, value),
    stored: (value: number) => metresFrom(units, value),
  };
  switch (rule.kind) {
    case 'inside_longer':
      return (
        <NumberField
          label="Inside longer than"
          unit="s"
          value={rule.longer_s}
          min={1}
          max={86_400}
          onChange={(value) => value !== null && onChange({ ...rule, longer_s: value })}
        />
      );
    case 'about_to_enter':
      return (
        <NumberField
          label="Enters within"
          unit="s"
          value={rule.within_s}
          min={1}
          max={600}
          onChange={(value) => value !== null && onChange({ ...rule, within_s: value })}
        />
      );
    case 'nothing_received':
      return (
        <NumberField
          label="Nothing received for"
          unit="min"
          value={rule.for_s}
          min={60}
          max={86_400}
          shown={(value) => value / 60}
          stored={(value) => value * 60}
          onChange={(value) => value !== null && onChange({ ...rule, for_s: value })}
        />
      );
    case 'speed':
      return (
        <>
          <ChoiceRow
            label="Speed"
            hidesLabel
            value={rule.beyond}
            choices={BEYOND}
            onChange={(beyond) => onChange({ ...rule, beyond })}
          />
          <NumberField
            label="Speed"
            unit={SPEED_UNIT[units]}
            value={rule.speed_mps}
            min={0}
            max={2000}
            shown={(value) => speedIn(units, value)}
            stored={(value) => mpsFrom(units, value)}
            onChange={(value) => value !== null && onChange({ ...rule, speed_mps: value })}
          />
        </>
      );
    case 'height':
      return (
        <>
          <ChoiceRow
            label="Height"
            hidesLabel
            value={rule.field}
            choices={FIELD_CHOICES}
            onChange={(field) => onChange({ ...rule, field })}
          />
          <ChoiceRow
            label="Beyond"
            hidesLabel
            value={rule.beyond}
            choices={BEYOND}
            onChange={(beyond) => onChange({ ...rule, beyond })}
          />
          <NumberField
            label="Limit"
            {...length}
            value={rule.height_m}
            min={-1000}
            max={100_000}
            onChange={(value) => value !== null && onChange({ ...rule, height_m: value })}
          />
        </>
      );
    case 'closer':
      return (
        <>
          <NumberField
            label="Closer than, over ground"
            {...length}
            value={rule.horizontal_m}
            min={1}
            max={50_000}
            onChange={(value) => value !== null && onChange({ ...rule, horizontal_m: value })}
          />
          <NumberField
            label="Closer than, vertically"
            {...length}
            value={rule.vertical_m}
            emptyMeans="any"
            min={0}
            max={20_000}
            onChange={(vertical_m) => onChange({ ...rule, vertical_m })}
          />
          <ChoiceRow
            label="Height"
            hidesLabel
            value={rule.field}
            choices={FIELD_CHOICES}
            onChange={(field) => onChange({ ...rule, field })}
          />
        </>
      );
    case 'entered':
    case 'left':
    case 'emergency':
      return null;
  }
}
