'use client';

import { Download, Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import type { OverviewChoice } from '#lib/client/overview/coverage-choice.ts';
import { type Counted, cellRate, coverageCountOf } from '#lib/client/overview/coverage-rates.ts';
import { coverageAddress, type Overview } from '#lib/client/overview/overview-query.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { CoverageLegend } from './coverage-legend.tsx';
import { CoverageTable } from './coverage-table.tsx';
import { coverageCellText, SPAN_TEXT, talliedText } from './overview-text.ts';

interface DrawnCoverageProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Counted;
  /** Fits the box once for each; `undefined`: the answer is of another question. */
  readonly fit: string | undefined;
  /** @param index of the cell that is pointed at */
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

export interface CoveragePictureProps {
  readonly choice: OverviewChoice;
  readonly zone: ClockZone;
  readonly theme: 'dark' | 'light';
  readonly overview: Overview;
  readonly placeName: string;
  readonly onCounted: (counted: Counted) => void;
  readonly drawMap: (props: DrawnCoverageProps) => ReactNode;
}

export function CoveragePicture(props: CoveragePictureProps) {
  const { choice, zone, theme, overview, placeName, onCounted, drawMap } = props;
  const { data, error, isPlaceholderData } = overview.coverage;
  const [cell, setCell] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const { counted, layer, hours } = choice;
  const fit = isPlaceholderData ? undefined : `${hours} ${layer} ${JSON.stringify(choice.place)}`;
  return (
    <section aria-labelledby="coverage" className="flex min-w-0 flex-col gap-2">
      <h2 id="coverage" className="font-semibold">
        Coverage, {placeName}, {LAYER_NAME[layer].toLowerCase()}, the last {SPAN_TEXT[hours]}
      </h2>
      {error && (
        <p role="alert" className="text-bad">
          {error.said ?? `The coverage could not be read. ${failureMessage(error)}`}
        </p>
      )}
      <div className="relative h-[520px] overflow-hidden min-[1600px]:h-[760px] rounded-card border border-line bg-raised phone:h-[320px]">
        {drawMap({ answer: data, counted, fit, onCell: setCell, onProblem: setProblem })}
      </div>
      <p className="min-h-[2lh] tabular-nums print:hidden" data-testid="pointed-cell">
        {data && pointedText(data, cell, counted)}
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      {!data && !error && <p className="text-dim">Reading the coverage…</p>}
      {data && (
        <div
          aria-busy={isPlaceholderData}
          className={classNames('flex flex-col gap-2', isPlaceholderData && 'opacity-50')}
        >
          <CoverageLegend answer={data} counted={counted} theme={theme} onCounted={onCounted} />
          <p className="text-caption text-dim">{talliedText(data, zone)}</p>
          <div className="flex flex-wrap gap-2 print:hidden">
            <LinkButton download href={`${coverageAddress(questionOf(data), data)}&format=csv`}>
              <Download aria-hidden size={14} />
              Coverage as CSV
            </LinkButton>
            <Button onClick={() => window.print()}>
              <Printer aria-hidden size={14} />
              Print
            </Button>
          </div>
          <details className="print:hidden">
            <summary className="w-fit cursor-pointer font-medium text-focus phone:min-h-11 phone:py-3">
              The same as a table
            </summary>
            <CoverageTable answer={data} counted={counted} />
          </details>
        </div>
      )}
    </section>
  );
}

/** Of the numbers that are shown, with their own box. */
function questionOf({ layer, band, bbox }: CoverageAnswer) {
  return { layer, band: band ?? undefined, bbox: bbox ? boxFromCorners(bbox) : undefined };
}

function pointedText(answer: CoverageAnswer, cell: number | undefined, counted: Counted): string {
  const { cells, cell_deg } = answer;
  const [column, row] = cell === undefined ? [] : [cells.column[cell], cells.row[cell]];
  if (cell === undefined || column === undefined || row === undefined) return 'Point at a cell for its figures.';
  const corner = [(row * cell_deg - 90).toFixed(3), (column * cell_deg - 180).toFixed(3)].join(', ');
  const watched = { watchedS: cells.watched_s[cell] ?? 0, partlyS: cells.partly_s[cell] ?? 0 };
  const rate = cellRate(cells, cell, counted);
  return `Cell from ${corner}: ${coverageCellText(rate, coverageCountOf(cells, cell, counted), counted, watched)}`;
}
