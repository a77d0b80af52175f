'use client';

import type { CoverageAnswer } from '#lib/api/overview.ts';
import { type Counted, cellRates, coverageCountOf } from '#lib/client/overview/coverage-rates.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/grouped-number.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { COUNTED_TEXT, coverageRateText, LOOK_TEXT } from './overview-text.ts';

/** More are in the CSV. */
const ROWS_MAX = 200;

export interface CoverageTableProps {
  readonly answer: CoverageAnswer;
  readonly counted: Counted;
}

/** The picture in numbers, the highest rate first. */
export function CoverageTable({ answer, counted }: CoverageTableProps) {
  const { cells, cell_deg } = answer;
  const rows = cellRates(cells, counted)
    .map((rate, index) => ({ ...rate, index }))
    .sort((one, next) => (next.perHour ?? -1) - (one.perHour ?? -1));
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
      tabIndex={0}
      aria-label="Coverage as a table"
      className="max-h-96 overflow-auto"
    >
      <table className="w-full text-left text-table tabular-nums">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {['South-west corner', 'Look', 'Per watched hour', COUNTED_TEXT[counted], 'Watched', 'Partly'].map(
              (name) => (
                <th key={name} scope="col" className="py-1 pr-3 font-medium">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map(({ index, look, perHour }) => (
            <tr key={index} className="border-line border-t">
              <th scope="row" className="whitespace-nowrap py-1 pr-3 font-normal">
                {degrees((cells.row[index] ?? 0) * cell_deg - 90)},{' '}
                {degrees((cells.column[index] ?? 0) * cell_deg - 180)}
              </th>
              <td className="pr-3">{LOOK_TEXT[look]}</td>
              <td className="pr-3">{perHour === undefined ? '–' : coverageRateText(perHour)}</td>
              <td className="pr-3">{groupedNumber(coverageCountOf(cells, index, counted))}</td>
              <td className="whitespace-nowrap pr-3">{watchedText(cells.watched_s[index])}</td>
              <td className="whitespace-nowrap">{watchedText(cells.partly_s[index])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && (
        <p className="text-caption text-dim">and {groupedNumber(rows.length - ROWS_MAX)} more: all are in the CSV.</p>
      )}
    </section>
  );
}

function degrees(value: number): string {
  return String(Number(value.toFixed(4)));
}

function watchedText(seconds = 0): string {
  return seconds === 0 ? '–' : durationText(seconds * SECOND_MS);
}
