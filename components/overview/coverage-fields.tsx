'use client';

import { TIMES_OF_DAY } from '#lib/api/overview.ts';
import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type CoverageChoice, OVERVIEW_SPANS } from '#lib/client/overview/coverage-choice.ts';
import { COVERED } from '#lib/client/overview/coverage-rates.ts';
import { bandsText } from '#lib/model/height-band-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { COVERED_TEXT, capitalised, heightChoices, heightLabel, SPAN_LABEL, TIMES_LABEL } from './overview-text.ts';

interface CoverageFieldsProps {
  readonly choice: CoverageChoice;
  readonly units: UnitSystem;
  readonly onChange: (change: Partial<CoverageChoice>) => void;
}

const SPANS = OVERVIEW_SPANS.map((span) => ({ value: String(span), label: SPAN_LABEL[span] }));
const ALL_HOURS = 'all';
const TIMES_CHOICES = [
  { value: ALL_HOURS, label: 'All' },
  ...TIMES_OF_DAY.map((value) => ({ value, label: TIMES_LABEL[value] })),
];
const LAYER_CHOICES = LAYER_DISPLAY_ORDER.map((value) => ({ value, label: LAYER_NAME[value] }));

export function CoverageFields({ choice, units, onChange }: CoverageFieldsProps) {
  const { span, times, layer, band, counted } = choice;
  const heights = heightChoices(layer);
  // Of a link.
  const listed = band === undefined || heights.includes(band) ? heights : [...heights, band];
  return (
    <>
      <ChoiceRow
        label="Span"
        value={String(span)}
        oneLine
        choices={SPANS}
        onChange={(value) => {
          const chosen = OVERVIEW_SPANS.find((each) => String(each) === value) ?? span;
          onChange({ span: chosen, ...(chosen === 1 && { times: undefined }) });
        }}
      />
      <ChoiceRow
        label="Hours"
        value={times ?? ALL_HOURS}
        oneLine
        choices={TIMES_CHOICES}
        onChange={(value) => {
          const chosen = TIMES_OF_DAY.find((each) => each === value);
          onChange({ times: chosen, ...(chosen && span === 1 && { span: 24 }) });
        }}
      />
      <ChoiceRow
        label="Layer"
        value={layer}
        choices={LAYER_CHOICES}
        onChange={(chosen) => onChange({ layer: chosen, band: undefined })}
      />
      <Choices
        label="Shown"
        value={counted}
        choices={COVERED.map((value) => ({ value, label: COVERED_TEXT[value] }))}
        onChange={(value) => onChange({ counted: COVERED.find((each) => each === value) ?? counted })}
      />
      <Choices
        label={heightLabel(layer)}
        value={band ?? ''}
        choices={[
          { value: '', label: 'All heights' },
          ...listed.map((ids) => ({ value: ids, label: capitalised(bandsText(layer, ids, units, false)) })),
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
