'use client';

import type { CoverageAnswer } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import {
  type Counted,
  cellRates,
  lookCounts,
  rateSteps,
  shadeOf,
  totalsOfCells,
} from '#lib/client/overview/coverage-rates.ts';
import { LegendEntry } from './look-swatch.tsx';
import { OnlyApart } from './only-apart.tsx';
import { apartText, cellsText, coverageCautions, coverageSummary, rateUnitText, stepTexts } from './overview-text.ts';

export interface CoverageLegendProps {
  readonly answer: CoverageAnswer;
  readonly counted: Counted;
  /** Of the map: on paper, its colours stay. */
  readonly theme: 'dark' | 'light';
  readonly onCounted: (counted: Counted) => void;
}

export function CoverageLegend({ answer, counted, theme, onCounted }: CoverageLegendProps) {
  const rates = cellRates(answer.cells, counted);
  const steps = rateSteps(rates.flatMap(({ perHour }) => perHour ?? []));
  const looks = lookCounts(rates.map(({ look }) => look));
  const unrated = rates.filter(({ look, perHour }) => look === 'received' && perHour === undefined).length;
  const totals = totalsOfCells(answer.cells);
  const { steps: shades, hatch, edge } = COVERAGE_COLOURS[theme];
  const apart = apartText(totals, counted);
  return (
    <div className="flex flex-col gap-2">
      <OnlyApart totals={totals} counted={counted} onCounted={onCounted} />
      <p role="status" className="sr-only">
        {coverageSummary(looks, counted)}
      </p>
      <p className="font-medium">{rateUnitText(counted, answer.cell_deg)}</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-caption">
        {looks.received > unrated &&
          stepTexts(steps).map((text, step) => (
            <LegendEntry key={text} background={shades[shadeOf(step, steps)]?.fill ?? edge}>
              {text}
            </LegendEntry>
          ))}
        {unrated > 0 && (
          <LegendEntry border={`1.5px dashed ${edge}`}>
            Received, without a rate: reads too far apart, or too few references · {cellsText(unrated)}
          </LegendEntry>
        )}
        <LegendEntry
          background={`repeating-linear-gradient(135deg, rgb(${hatch.join(' ')}) 0 1px, transparent 1px 4px)`}
        >
          Watched, nothing received · {cellsText(looks.nothing_received)}
        </LegendEntry>
        <LegendEntry border="1px solid var(--edge)">Not watched: no colour</LegendEntry>
      </ul>
      {apart !== undefined && <p className="text-caption text-dim">{apart}</p>}
      {coverageCautions(answer).map((text) => (
        <p key={text} className="text-caption text-warning">
          {text}
        </p>
      ))}
    </div>
  );
}
