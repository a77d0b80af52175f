import 'server-only';
import { APART, type CoverageAnswer, lookOf, type OverviewHoursAnswer } from '#lib/api/overview.ts';
import { csvRows } from '#lib/text/csv.ts';

const COVERAGE_CSV_COLUMNS = [
  ...['layer', 'band', 'start', 'end', 'west', 'south', 'east', 'north', 'look'],
  ...['positions', 'reference_hours', 'watched_s', 'partly_s', ...APART],
  ...['times', 'time_zone', 'followed_s', 'received_s'],
] as const;

export const HOURS_CSV_COLUMNS = [
  ...['layer', 'start', 'look', 'watched_s', 'partly_s', 'positions', 'references', 'references_error'],
  ...APART.flatMap((name) => [`${name}_positions`, `${name}_references`]),
  'late',
  'band',
] as const;

const ROWS_AT_ONCE = 500;

export function* coverageCsv(answer: CoverageAnswer): Generator<Uint8Array> {
  const { layer, band, start, end, times, time_zone, cells, cell_deg } = answer;
  yield Buffer.from(csvRows([COVERAGE_CSV_COLUMNS]));
  for (let from = 0; from < cells.column.length; from += ROWS_AT_ONCE) {
    const indices = cells.column.slice(from, from + ROWS_AT_ONCE).map((_, index) => from + index);
    const rows = indices.map((index) => {
      const of = (name: Exclude<keyof typeof cells, 'followed_s' | 'received_s'>) => cells[name][index] ?? 0;
      const [west, south] = [of('column') * cell_deg - 180, of('row') * cell_deg - 90];
      return [
        ...[layer, band, start, end, west, south, west + cell_deg, south + cell_deg],
        lookOf(of('positions'), of('watched_s'), of('partly_s')),
        ...[of('positions'), of('reference_hours'), of('watched_s'), of('partly_s'), ...APART.map(of)],
        ...[times, time_zone, cells.followed_s[index], cells.received_s[index]],
      ];
    });
    yield Buffer.from(csvRows(rows));
  }
}

export function* hoursCsv(answer: OverviewHoursAnswer): Generator<Uint8Array> {
  yield Buffer.from(csvRows([HOURS_CSV_COLUMNS]));
  for (const { layer, hours } of answer.layers) {
    const rows = hours.map((hour) => {
      const { start, watched_s, partly_s, positions, references, references_error, late } = hour;
      return [
        ...[layer, start, lookOf(positions, watched_s, partly_s), watched_s, partly_s],
        ...[positions, references, references_error],
        ...APART.flatMap((name) => [hour[name].positions, hour[name].references]),
        late,
        answer.band,
      ];
    });
    yield Buffer.from(csvRows(rows));
  }
}
