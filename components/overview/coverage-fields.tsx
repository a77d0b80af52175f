'use client';

import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type CoverageChoice, OVERVIEW_HOURS } from '#lib/client/overview/coverage-choice.ts';
import { COUNTED } from '#lib/client/overview/coverage-rates.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { bandText, COUNTED_TEXT, SPAN_LABEL } from './overview-text.ts';

interface CoverageFieldsProps {
  readonly choice: CoverageChoice;
  readonly units: UnitSystem;
  readonly onChange: (change: Partial<CoverageChoice>) => void;
}

const SPANS = OVERVIEW_HOURS.map((hours) => ({ value: String(hours), label: SPAN_LABEL[hours] }));
const LAYER_CHOICES = LAYER_DISPLAY_ORDER.map((value) => ({ value, label: LAYER_NAME[value] }));

export function CoverageFields({ choice, units, onChange }: CoverageFieldsProps) {
  const { hours, layer, band, counted } = choice;
  return (
    <>
      <ChoiceRow
        label="Span"
        value={String(hours)}
        choices={SPANS}
        onChange={(value) => onChange({ hours: OVERVIEW_HOURS.find((each) => String(each) === value) ?? hours })}
      />
      <ChoiceRow
        label="Layer"
        value={layer}
        choices={LAYER_CHOICES}
        onChange={(chosen) => onChange({ layer: chosen, band: undefined })}
      />
      <Choices
        label="Counted"
        value={counted}
        choices={COUNTED.map((value) => ({ value, label: COUNTED_TEXT[value] }))}
        onChange={(value) => onChange({ counted: COUNTED.find((each) => each === value) ?? counted })}
      />
      <Choices
        label="Height, on the map"
        value={band ?? ''}
        choices={[
          { value: '', label: 'All heights' },
          ...HEIGHT_BANDS[layer].map((each) => ({ value: each.id, label: bandText(each, units) })),
        ]}
        onChange={(value) => onChange({ band: value === '' ? undefined : value })}
      />
    </>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

/** A list of choices that are long, or many. */
export function Choices({ label, value, choices, onChange }: ChoicesProps) {
  return (
    <label className="block min-w-0">
      <span className="mb-1 block font-medium">{label}</span>
      <select
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className="h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11"
      >
        {choices.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}
