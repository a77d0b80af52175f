'use client';

import { usePreferences } from '#lib/client/page/lookout-context.tsx';
import { LENGTH_UNIT, lengthIn, metresFrom } from '#lib/model/units.ts';
import { HEIGHT_FIELD_TEXT } from '#lib/zones/height-field.ts';
import { UNKNOWN_HEIGHTS, type Vertical } from '#lib/zones/zone.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { FormPart } from './form-parts.tsx';
import { NumberField } from './number-field.tsx';
import { UNKNOWN_HEIGHT_TEXT, verticalText } from './zone-text.ts';

const FIELDS = [
  { value: 'none', label: 'Every height' },
  { value: 'height_agl_m', label: 'Height above ground' },
  { value: 'altitude_m', label: 'Altitude' },
] as const;

const FIRST: NonNullable<Vertical> = { field: 'height_agl_m', floor_m: null, ceiling_m: 120, unknown: 'flagged' };

export interface VerticalFieldsProps {
  readonly vertical: Vertical;
  readonly problem: string | undefined;
  readonly onChange: (vertical: Vertical) => void;
}

export function VerticalFields({ vertical, problem, onChange }: VerticalFieldsProps) {
  const [{ units }] = usePreferences();
  const limit = (end: 'floor_m' | 'ceiling_m', label: string) =>
    vertical && (
      <NumberField
        label={label}
        unit={LENGTH_UNIT[units]}
        value={vertical[end]}
        emptyMeans="not stated"
        min={-1000}
        max={100_000}
        shown={(value) => lengthIn(units, value)}
        stored={(value) => metresFrom(units, value)}
        onChange={(value) => onChange({ ...vertical, [end]: value })}
      />
    );
  return (
    <FormPart title="Height" closedText={verticalText(vertical, units)} problem={problem}>
      <ChoiceRow
        label="Limits apply to"
        hidesLabel
        value={vertical?.field ?? 'none'}
        choices={FIELDS}
        onChange={(field) => onChange(field === 'none' ? null : { ...(vertical ?? FIRST), field })}
      />
      {vertical && (
        <>
          <p className="text-caption text-dim">
            Limits are compared with the {HEIGHT_FIELD_TEXT[vertical.field]}, and with nothing else.
          </p>
          {limit('ceiling_m', 'Ceiling')}
          {limit('floor_m', 'Floor')}
          <label className="flex items-center justify-between gap-2">
            Unknown height
            <select
              value={vertical.unknown}
              onChange={(event) => {
                const unknown = UNKNOWN_HEIGHTS.find((candidate) => candidate === event.target.value);
                if (unknown) onChange({ ...vertical, unknown });
              }}
              className="h-8 min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11"
            >
              {UNKNOWN_HEIGHTS.map((unknown) => (
                <option key={unknown} value={unknown}>
                  {UNKNOWN_HEIGHT_TEXT[unknown]}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
    </FormPart>
  );
}
