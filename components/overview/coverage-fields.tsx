'use client';

import { LAYER_DISPLAY_ORDER, LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type CoverageChoice, OVERVIEW_HOURS } from '#lib/client/overview/coverage-choice.ts';
import { COUNTED } from '#lib/client/overview/coverage-rates.ts';
import { HEIGHT_BANDS } from '#lib/model/height-band.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { Choices } from './choices.tsx';
import { bandText, COUNTED_TEXT, SPAN_LABEL } from './overview-text.ts';

export interface CoverageFieldsProps {
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
