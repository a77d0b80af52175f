'use client';

import './overview.css';
import { useQuery } from '@tanstack/react-query';
import { Download, Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { CoverageAnswer } from '#lib/api/overview.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import {
  type OverviewChoice,
  type OverviewPlace,
  overviewAddress,
  overviewChoiceOf,
} from '#lib/client/overview/coverage-choice.ts';
import { type Covered, cellRates, coverageCountOf, isReception } from '#lib/client/overview/coverage-rates.ts';
import { coverageAddress, useOverview } from '#lib/client/overview/overview-query.ts';
import { placesNearQuery } from '#lib/client/page/places-query.ts';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { zonesQuery } from '#lib/client/zones/zones-query.ts';
import { type Bbox, latSpanDeg, lonSpanDeg } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { groupedNumber } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { boxAround, shapeBox } from '#lib/zones/shape-box.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { TABLE } from '../ui/card.tsx';
import { classNames } from '../ui/class-names.ts';
import { Choices, CoverageFields } from './coverage-fields.tsx';
import { CoverageLegend } from './coverage-legend.tsx';
import { HoursSection, type OverviewPartProps } from './hours-section.tsx';
import {
  COVERED_TEXT,
  capitalised,
  coverageCellText,
  coverageReceptionText,
  coverageSpanText,
  LOOK_TEXT,
  OVERVIEW_NOTICE,
  overviewSentence,
  rateText,
  talliedText,
} from './overview-text.ts';

interface OverviewPageProps extends Pick<CoveragePictureProps, 'zone' | 'theme' | 'drawMap'> {
  readonly units: UnitSystem;
}

const nowMs = () => Date.now();
const EVERYTHING = { value: 'everything', label: 'everything watched' };
const VIEW = { value: 'view', label: 'the view on the map' };

/** The overview: coverage on a map, and what was received hour by hour. Its choices are in the address. */
export function OverviewPage({ zone, units, theme, drawMap }: OverviewPageProps) {
  const [first] = useState(() => overviewChoiceOf(window.location.search));
  const [choice, setChoice] = useState(first);
  const overview = useOverview(choice, zone, nowMs);
  const { data: zones, isPending } = useQuery(zonesQuery());
  const change = (changed: Partial<OverviewChoice>) => {
    const chosen = { ...choice, ...changed };
    setChoice(chosen);
    window.history.replaceState(null, '', overviewAddress(chosen));
  };
  const places = [
    EVERYTHING,
    ...(first.place.kind === 'view' ? [VIEW] : []),
    ...(zones?.zones ?? []).map(({ zone: { id, name } }) => ({ value: id, label: name })),
  ];
  const { place } = choice;
  const value = place.kind === 'zone' ? place.id : place.kind;
  const placeName = places.find((each) => each.value === value)?.label ?? 'a zone';
  const shared = {
    choice,
    zone,
    overview,
    placeName,
    onCounted: (counted: OverviewChoice['counted']) => change({ counted }),
  };
  const zoneBoxes = (zones?.zones ?? []).map(({ zone: { shape } }) => shapeBox(shape, 0));
  const frame = place.kind === 'everything' && zoneBoxes.length > 0 ? boxAround(zoneBoxes) : undefined;
  return (
    <>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(230px,1fr))] items-end gap-3 phone:grid-cols-1 print:hidden">
        <Choices
          label="Place"
          value={value}
          choices={places.map((each) => ({ ...each, label: capitalised(each.label) }))}
          onChange={(chosen) => change({ place: placeOf(chosen, first.place) })}
        />
        <CoverageFields choice={choice} units={units} onChange={change} />
      </div>
      <OverviewAnswer choice={choice} overview={overview} units={units} placeName={placeName} />
      <div className="overview grid grid-cols-1 gap-6 min-[1600px]:grid-cols-2 print:grid-cols-1">
        <CoveragePicture {...shared} theme={theme} drawMap={drawMap} frame={frame} isPlaced={!isPending} />
        <HoursSection {...shared} />
      </div>
    </>
  );
}

function placeOf(chosen: string, first: OverviewPlace): OverviewPlace {
  if (chosen === EVERYTHING.value) return { kind: 'everything' };
  return chosen === VIEW.value ? first : { kind: 'zone', id: chosen };
}

interface OverviewAnswerProps extends Pick<OverviewPartProps, 'choice' | 'overview' | 'placeName'> {
  readonly units: UnitSystem;
}

/** Boxes up to this size are around the place in their middle. */
const AROUND_MAX_DEG = 3;

/** The answer to the choices in one sentence, and what it does not say. */
function OverviewAnswer({ choice, overview, units, placeName }: OverviewAnswerProps) {
  const { data, isPlaceholderData } = overview.hours;
  const coverage = overview.coverage.isPlaceholderData ? undefined : overview.coverage.data;
  // The hours of another question answer nothing.
  const shown = isPlaceholderData ? undefined : data?.layers.find(({ layer }) => layer === choice.layer);
  const isNothing = choice.place.kind === 'everything' && overview.coverage.data?.bbox === null;
  const box = shown && choice.place.kind !== 'zone' ? boxFromCorners(shown.bbox) : undefined;
  const isSmall = box !== undefined && Math.max(lonSpanDeg(box), latSpanDeg(box)) <= AROUND_MAX_DEG;
  const middle = box && { lon: wrapLongitude(box.west + lonSpanDeg(box) / 2), lat: (box.south + box.north) / 2 };
  const { data: near } = useQuery({ ...placesNearQuery(middle ?? { lon: 0, lat: 0 }), enabled: isSmall });
  const places = isSmall ? (near?.results ?? []) : [];
  // Airports with an IATA code are those that people know.
  const nearest = places.find(({ codes }) => codes.length > 1) ?? places[0];
  const where =
    choice.place.kind === 'zone'
      ? `in ${placeName}`
      : nearest
        ? `around ${nearest.codes[0] ?? nearest.name}`
        : choice.place.kind === 'view'
          ? 'in the view on the map'
          : isNothing
            ? 'anywhere'
            : 'wherever watched';
  const hours = isNothing ? [] : shown?.hours;
  return (
    <div className="flex flex-col gap-1">
      <p role="status" data-testid="overview-answer" className="min-h-6 font-semibold text-[18px] leading-6">
        {hours && overviewSentence({ ...choice, where }, hours, units)}
        {hours && coverage && isReception(choice.counted) && ` ${coverageReceptionText(coverage.cells)}`}
      </p>
      <p className="text-caption text-dim">{OVERVIEW_NOTICE}</p>
    </div>
  );
}

interface DrawnCoverageProps {
  readonly answer: CoverageAnswer | undefined;
  readonly counted: Covered;
  /** The map fits its box once for each value; `undefined` while the answer is not read, or is that of another question. */
  readonly fit: string | undefined;
  /** The box that the map fits; `undefined`: that of the answer. */
  readonly frame: Bbox | undefined;
  /** @param index of the cell that is pointed at */
  readonly onCell: (index: number | undefined) => void;
  readonly onProblem: (problem: string | undefined) => void;
}

interface CoveragePictureProps extends OverviewPartProps, Pick<DrawnCoverageProps, 'frame'> {
  /** Whether `frame` is known. */
  readonly isPlaced: boolean;
  readonly theme: 'dark' | 'light';
  readonly drawMap: (props: DrawnCoverageProps) => ReactNode;
}

function CoveragePicture(props: CoveragePictureProps) {
  const { choice, zone, theme, overview, placeName, onCounted, drawMap, frame, isPlaced } = props;
  const { data, error, isPending, isPlaceholderData } = overview.coverage;
  const [cell, setCell] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const { counted, layer } = choice;
  const isRead = isPlaced && !isPending && !isPlaceholderData;
  const fit = isRead ? `${coverageSpanText(choice)} ${layer} ${JSON.stringify(choice.place)}` : undefined;
  return (
    <section aria-labelledby="coverage" className="flex min-w-0 flex-col gap-2">
      <h2 id="coverage" className="font-semibold">
        Coverage, {placeName}, {LAYER_NAME[layer].toLowerCase()}, {coverageSpanText(choice)}
      </h2>
      {error && (
        <p role="alert" className="text-bad">
          {error.said ?? `The coverage could not be read. ${failureMessage(error)}`}
        </p>
      )}
      <div className="overview-map relative h-[520px] overflow-hidden min-[1600px]:h-[760px] rounded-card border border-line bg-raised phone:h-[320px]">
        {drawMap({ answer: data, counted, fit, frame, onCell: setCell, onProblem: setProblem })}
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
            <LinkButton
              download
              href={`${coverageAddress({ ...countedIn(data), covered: counted }, data.bbox ? boxFromCorners(data.bbox) : undefined, data)}&format=csv`}
            >
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

/** The counts that the numbers on the page have. */
function countedIn({ layer, band, times, time_zone }: CoverageAnswer) {
  return { layer, band: band ?? undefined, times, timeZone: time_zone };
}

function pointedText(answer: CoverageAnswer, cell: number | undefined, counted: Covered): string {
  const { cells, cell_deg } = answer;
  const [column, row] = cell === undefined ? [] : [cells.column[cell], cells.row[cell]];
  if (cell === undefined || column === undefined || row === undefined) return 'Point at a cell for its figures.';
  const corner = [(row * cell_deg - 90).toFixed(3), (column * cell_deg - 180).toFixed(3)].join(', ');
  return `Cell from ${corner}: ${coverageCellText(answer, cell, counted)}`;
}

/** Further rows are only in the CSV. */
const ROWS_MAX = 200;

interface CoverageTableProps {
  readonly answer: CoverageAnswer;
  readonly counted: Covered;
}

/** The picture in numbers, the highest rate first. */
function CoverageTable({ answer, counted }: CoverageTableProps) {
  const { cells, cell_deg } = answer;
  const rows = cellRates(cells, counted)
    .map((rate, index) => ({ ...rate, index }))
    .sort((one, next) => (next.rate ?? -1) - (one.rate ?? -1));
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it.
      tabIndex={0}
      aria-label="Coverage as a table"
      className="max-h-96 overflow-auto"
    >
      <table className={TABLE}>
        <thead className="sticky top-0 bg-surface">
          <tr>
            {['South-west corner', 'Look', ...tableHeads(counted), 'Watched', 'Partly'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map(({ index, look, rate }) => (
            <tr key={index}>
              <th scope="row">
                {degrees((cells.row[index] ?? 0) * cell_deg - 90)},{' '}
                {degrees((cells.column[index] ?? 0) * cell_deg - 180)}
              </th>
              <td>{LOOK_TEXT[look]}</td>
              <td>{rate === undefined ? '–' : rateText(rate, counted)}</td>
              <td>
                {isReception(counted)
                  ? watchedText(cells.followed_s[index] ?? 0)
                  : groupedNumber(coverageCountOf(cells, index, counted))}
              </td>
              <td className="whitespace-nowrap">{watchedText(cells.watched_s[index])}</td>
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

function tableHeads(covered: Covered): readonly string[] {
  return isReception(covered) ? ['Received', 'Between receptions'] : ['Per watched hour', COVERED_TEXT[covered]];
}

function degrees(value: number): string {
  return String(Number(value.toFixed(4)));
}

function watchedText(seconds = 0): string {
  return seconds === 0 ? '–' : durationText(seconds * SECOND_MS);
}
