'use client';

import './legend.css';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useId, useState } from 'react';
import { useLayersOn, useLookout, usePreferences, useValue } from '#lib/client/page/lookout-context.tsx';
import { UNKNOWN_RGB } from '#lib/model/altitude-colour.ts';
import { CONFIDENCE_CLASSES, CONFIDENCE_TEXT } from '#lib/model/confidence.ts';
import { type Colouring, markRgb } from '#lib/model/mark-colour.ts';
import type { Layer, TrackKind } from '#lib/model/position.ts';
import { KIND_TEXT, LAYER_OF_KIND } from '#lib/model/position.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { themedColour } from '../ui/light-dark.ts';
import { onDemand } from '../ui/on-demand.tsx';
import { AGE_TITLE, SCALE_TITLE, type ScaledColouring, scaleTicks } from './colouring-text.ts';

const MarksLegend = onDemand('What the marks mean', () =>
  import('./marks-legend.tsx').then((module) => module.MarksLegend),
);

/** The legend of the map: colours, and on demand the marks. It shows nothing while the operator has hidden it. */
export function Legend() {
  const [{ units, legendOpen }] = usePreferences();
  const colouring = useValue(useLookout().colouring);
  const [layersOn] = useLayersOn();
  const [isWhole, setWhole] = useState(false);
  const marksId = useId();
  if (!legendOpen) return null;
  const Chevron = isWhole ? ChevronDown : ChevronUp;
  return (
    <section aria-label="Legend" data-testid="legend" className="legend">
      {isWhole && <MarksLegend id={marksId} />}
      <div className="legend-scales">
        <ColourScales colouring={colouring} units={units} layersOn={layersOn} />
        <Button
          look="quiet"
          shape="small-text"
          aria-expanded={isWhole}
          aria-controls={isWhole ? marksId : undefined}
          onClick={() => setWhole(!isWhole)}
        >
          <Chevron aria-hidden size={13} />
          <span className="legend-word">Marks</span>
        </Button>
      </div>
    </section>
  );
}

/** So many stops of the gradient match the scale. */
const COLOUR_COUNT = 25;
const KINDS = ['aircraft', 'drone'] as const;

interface ColourScalesProps {
  readonly colouring: Colouring;
  readonly units: UnitSystem;
  readonly layersOn: ReadonlySet<Layer>;
}

export function ColourScales({ colouring, units, layersOn }: ColourScalesProps) {
  const kinds = KINDS.filter((kind) => layersOn.has(LAYER_OF_KIND[kind]));
  switch (colouring) {
    case 'kind':
      return (
        <Swatches
          label="Kind"
          names={kinds.map(
            (kind) => [KIND_TEXT[kind], themedColour((theme) => markRgb('kind', kind, Number.NaN, theme))] as const,
          )}
        />
      );
    case 'confidence':
      return (
        <Swatches
          label="Confidence label"
          names={CONFIDENCE_CLASSES.map(
            (name, index) =>
              [
                CONFIDENCE_TEXT[name],
                themedColour((theme) => markRgb('confidence', 'aircraft', index, theme)),
              ] as const,
          )}
        />
      );
    case 'age':
      return <ColourScale colouring="age" kind="aircraft" title={AGE_TITLE} units={units} />;
    default:
      return kinds.map((kind) => (
        <ColourScale
          key={kind}
          colouring={colouring}
          kind={kind}
          title={SCALE_TITLE[colouring][kind]}
          units={units}
          hasUnknown
        />
      ));
  }
}

interface ColourScaleProps {
  readonly colouring: ScaledColouring;
  readonly kind: TrackKind;
  readonly title: { readonly whole: string; readonly short: string };
  readonly units: UnitSystem;
  readonly hasUnknown?: boolean;
}

function ColourScale({ colouring, kind, title, units, hasUnknown = false }: ColourScaleProps) {
  const { unit, values, top } = scaleTicks(colouring, kind, units);
  const colours = Array.from({ length: COLOUR_COUNT }, (_, index) =>
    themedColour((theme) => markRgb(colouring, kind, (top * index) / (COLOUR_COUNT - 1), theme)),
  );
  return (
    <div className="legend-scale">
      <div className="flex items-center gap-2 whitespace-nowrap text-dim">
        <span className="legend-whole truncate">
          {title.whole}, {unit}
        </span>
        <span aria-hidden className="legend-short">
          {title.short}, {unit}
        </span>
        {hasUnknown && (
          <span className="legend-unknown ml-auto flex items-center gap-1.5">
            <Swatch colour={themedColour((theme) => UNKNOWN_RGB[theme])} />
            n/r
            <span className="sr-only">: not reported</span>
          </span>
        )}
      </div>
      <div
        aria-hidden
        className="legend-colours h-1.5 rounded-full"
        style={{ backgroundImage: `linear-gradient(90deg, ${colours.join(', ')})` }}
      />
      <div className="legend-ticks flex justify-between text-label text-dim leading-3">
        {values.map((value, index) => (
          <span key={value}>
            {value.toLocaleString('en').replaceAll(',', '\u202f')}
            {index === values.length - 1 && '+'}
          </span>
        ))}
      </div>
    </div>
  );
}

function Swatches({
  label,
  names,
}: {
  readonly label: string;
  readonly names: readonly (readonly [name: string, colour: string])[];
}) {
  return (
    <div className="legend-swatches">
      <span className="text-dim">{label}</span>
      <ul className="flex flex-wrap gap-x-3">
        {names.map(([name, colour]) => (
          <li key={name} className="flex items-center gap-1.5 whitespace-nowrap">
            <Swatch colour={colour} />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Swatch({ colour }: { readonly colour: string }) {
  return (
    <span aria-hidden className="legend-colours h-1.5 w-3 shrink-0 rounded-full" style={{ backgroundColor: colour }} />
  );
}
