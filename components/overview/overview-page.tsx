'use client';

import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import { type CoverageChoice, FIRST_COVERAGE } from '#lib/client/overview/coverage-choice.ts';
import { type Counted, cellRate } from '#lib/client/overview/coverage-rates.ts';
import { coverageAddress, coverageQuery } from '#lib/client/overview/overview-query.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { Button } from '../ui/button.tsx';
import { CoverageFields } from './coverage-fields.tsx';
import { CoverageLegend } from './coverage-legend.tsx';
import { CoverageTable } from './coverage-table.tsx';
import { HoursSection } from './hours-section.tsx';
import { cellText, OVERVIEW_NOTICE, SPAN_TEXT, talliedText } from './overview-text.ts';

export interface DrawnCoverageProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Counted;
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

export interface OverviewPageProps {
  readonly zone: ClockZone;
  readonly units: UnitSystem;
  readonly theme: 'dark' | 'light';
  readonly drawMap: (props: DrawnCoverageProps) => ReactNode;
}

const nowMs = () => Date.now();

export function OverviewPage({ zone, units, theme, drawMap }: OverviewPageProps) {
  const [choice, setChoice] = useState<CoverageChoice>(FIRST_COVERAGE);
  const [cell, setCell] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const { data, error } = useQuery(coverageQuery(choice, nowMs));
  const { counted } = choice;
  return (
    <>
      <p className="text-dim">{OVERVIEW_NOTICE}</p>
      <section aria-labelledby="coverage" className="flex flex-col gap-3">
        <h2 id="coverage" className="font-semibold">
          Coverage, the last {SPAN_TEXT[choice.hours]}
        </h2>
        <div className="grid grid-cols-4 items-end gap-3 phone:grid-cols-1 print:hidden">
          <CoverageFields choice={choice} units={units} onChange={setChoice} />
        </div>
        {error && (
          <p role="alert" className="text-bad">
            The coverage could not be read: {error.message}
          </p>
        )}
        <div className="relative h-[420px] overflow-hidden rounded-card border border-line bg-raised phone:h-[320px]">
          {drawMap({ answer: data, counted, onCell: setCell, onProblem: setProblem })}
        </div>
        <p className="min-h-[1lh] tabular-nums">{data && pointedText(data, cell, counted)}</p>
        {problem !== undefined && (
          <p role="alert" className="text-bad">
            {problem}
          </p>
        )}
        {data && (
          <>
            <CoverageLegend answer={data} counted={counted} theme={theme} />
            <p className="text-caption text-dim">{talliedText(data, zone)}</p>
            <div className="flex flex-wrap gap-2 print:hidden">
              <Button onClick={() => window.location.assign(`${coverageAddress(choice, nowMs())}&format=csv`)}>
                <Download aria-hidden size={14} />
                Coverage as CSV
              </Button>
              <Button onClick={() => window.print()}>
                <Printer aria-hidden size={14} />
                Print
              </Button>
            </div>
            <details>
              <summary className="cursor-pointer font-medium">The same as a table</summary>
              <CoverageTable answer={data} counted={counted} />
            </details>
          </>
        )}
      </section>
      <HoursSection zone={zone} theme={theme} hours={choice.hours} box={data?.bbox ?? undefined} />
    </>
  );
}

function pointedText(answer: CoverageAnswer, cell: number | undefined, counted: Counted): string {
  if (cell === undefined || answer.cells.column[cell] === undefined) return 'Point at a cell for its figures.';
  const { cells } = answer;
  return cellText(cellRate(cells, cell, counted), counted, (cells.watched_s[cell] ?? 0) + (cells.partly_s[cell] ?? 0));
}
