'use client';

import type { CoverageAnswer } from '#lib/api/overview.ts';
import { COVERAGE_COLOURS } from '#lib/client/overview/coverage-colours.ts';
import { type Counted, cellRates, rateSteps } from '#lib/client/overview/coverage-rates.ts';
import { COVERAGE_LEGEND_TEXT, coverageCautions, coverageSummary, rateUnitText, stepTexts } from './overview-text.ts';

export interface CoverageLegendProps {
  readonly answer: CoverageAnswer;
  readonly counted: Counted;
  readonly theme: 'dark' | 'light';
}

/** The looks in words, with the number of cells of each for a screen reader. */
export function CoverageLegend({ answer, counted, theme }: CoverageLegendProps) {
  const rates = cellRates(answer.cells, counted);
  const steps = rateSteps(rates.flatMap(({ perHour }) => perHour ?? []));
  const { steps: colours, hatch, edge } = COVERAGE_COLOURS[theme];
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="sr-only">
        {coverageSummary(rates, counted)}
      </p>
      <p className="font-medium">{rateUnitText(counted)}</p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-caption">
        {stepTexts(steps).map((text, step) => (
          <Entry key={text} text={text} background={colours[step] ?? edge} />
        ))}
        <Entry text={COVERAGE_LEGEND_TEXT.noRate} border={`1.5px dashed ${edge}`} />
        <Entry
          text={COVERAGE_LEGEND_TEXT.nothingReceived}
          background={`repeating-linear-gradient(135deg, rgb(${hatch.join(' ')} / 0.7) 0 1px, transparent 1px 4px)`}
        />
        <Entry text={COVERAGE_LEGEND_TEXT.notWatched} border="1px solid var(--edge)" />
      </ul>
      {coverageCautions(answer).map((text) => (
        <p key={text} className="text-caption text-warning">
          {text}
        </p>
      ))}
    </div>
  );
}

interface EntryProps {
  readonly text: string;
  readonly background?: string;
  readonly border?: string;
}

function Entry({ text, background, border }: EntryProps) {
  return (
    <li className="flex items-center gap-1.5">
      <span
        aria-hidden
        className="inline-block size-3.5 shrink-0 [forced-color-adjust:none] [print-color-adjust:exact]"
        style={{ background, border }}
      />
      {text}
    </li>
  );
}
