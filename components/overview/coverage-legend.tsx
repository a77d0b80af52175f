'use client';

import type { ReactNode } from 'react';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import {
  type Covered,
  cellRates,
  isReception,
  lookCounts,
  onlyApart,
  type ReceivedTotals,
  shadeOf,
  stepsOf,
  totalsOfCells,
} from '#lib/client/overview/coverage-rates.ts';
import { Button } from '../ui/button.tsx';
import { lightDark } from '../ui/light-dark.ts';
import { Tag } from '../ui/marks/tag.tsx';
import {
  apartText,
  COUNTED_TEXT,
  cellsText,
  coverageCautions,
  coverageSummary,
  onlyApartText,
  rateUnitText,
  stepTexts,
} from './overview-text.ts';

interface CoverageLegendProps {
  readonly answer: CoverageAnswer;
  readonly counted: Covered;
  /** The theme of the map, whose colours stay on paper. */
  readonly theme: 'dark' | 'light';
  readonly onCounted: (counted: Covered) => void;
}

export function CoverageLegend({ answer, counted, theme, onCounted }: CoverageLegendProps) {
  const rates = cellRates(answer.cells, counted);
  const steps = stepsOf(rates, counted);
  const looks = lookCounts(rates.map(({ look }) => look));
  const unrated = rates.filter(({ look, rate }) => look === 'received' && rate === undefined).length;
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
          stepTexts(steps, counted).map((text, step) => (
            <LegendEntry key={text} background={shades[shadeOf(step, steps)]?.fill ?? edge}>
              {text}
            </LegendEntry>
          ))}
        {unrated > 0 && (
          <LegendEntry border={`1.5px dashed ${edge}`}>
            {isReception(counted)
              ? 'Received, not measured: too little, or read less than every 10 s'
              : 'Received, without a rate: reads too far apart, or too few references'}{' '}
            · {cellsText(unrated)}
          </LegendEntry>
        )}
        <LegendEntry
          background={`repeating-linear-gradient(135deg, rgb(${hatch.join(' ')} / ${HATCH_ALPHA}) 0 1px, transparent 1px 4px)`}
        >
          Watched, nothing received{isReception(counted) && ': not known'} · {cellsText(looks.nothing_received)}
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

interface OnlyApartProps {
  readonly totals: ReceivedTotals;
  readonly counted: Covered;
  readonly onCounted: (counted: Covered) => void;
}

const TAGS = { simulated: 'SIM', test: 'TEST', inconsistent: undefined } as const;

/** Traffic that is counted apart. If nothing else was received, the map alone would look as if nothing was received. */
export function OnlyApart({ totals, counted, onCounted }: OnlyApartProps) {
  if (counted !== 'references' && counted !== 'positions' && !isReception(counted)) {
    const tag = TAGS[counted];
    return tag ? (
      <p className="flex items-center gap-2 font-medium">
        <Tag text={tag} />
        {COUNTED_TEXT[counted]} only: no real traffic is in these figures.
      </p>
    ) : null;
  }
  const names = onlyApart(totals);
  if (names.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control border border-edge bg-raised px-3 py-2 print:border-0 print:p-0">
      <p className="font-medium">{onlyApartText(names)}</p>
      {names.map((name) => {
        const tag = TAGS[name];
        return (
          <Button key={name} className="print:hidden" onClick={() => onCounted(name)}>
            {tag && <Tag text={tag} />}
            Show {COUNTED_TEXT[name].toLowerCase()}
          </Button>
        );
      })}
    </div>
  );
}

/** Quiet, so that what was received is seen first. */
const HATCH_ALPHA = 0.3;

/** The hatching follows the theme of the page, also on paper. */
export const HATCH = `repeating-linear-gradient(135deg, ${lightDark(hatchColour('light'), hatchColour('dark'))} 0 1px, transparent 1px 4px)`;

function hatchColour(theme: 'dark' | 'light'): string {
  return `rgb(${COVERAGE_COLOURS[theme].hatch.join(' ')} / ${HATCH_ALPHA})`;
}

interface LegendEntryProps {
  readonly background?: string;
  readonly border?: string;
  readonly children: ReactNode;
}

export function LegendEntry({ background, border, children }: LegendEntryProps) {
  return (
    <li className="flex items-center gap-1.5">
      <span
        aria-hidden
        className="inline-block size-3.5 shrink-0 rounded-[2px] [forced-color-adjust:none] [print-color-adjust:exact]"
        style={{ background, border }}
      />
      <span>{children}</span>
    </li>
  );
}
