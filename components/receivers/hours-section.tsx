'use client';

import './hours-section.css';
import { useQuery } from '@tanstack/react-query';
import { FileDown, Printer, Table } from 'lucide-react';
import { useState } from 'react';
import { HOUR_SPANS, type HourSpan, type HoursReport, type StationHours } from '#lib/api/receivers/receiver-hours.ts';
import { receiverHoursQuery } from '#lib/client/account/account-requests.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { type ClockZone, clockText } from '#lib/model/clock-text.ts';
import { momentText } from '../account/account-text.ts';
import { ReadFailure, staysShown } from '../account/page-parts.tsx';
import { Button } from '../ui/button.tsx';
import { TABLE } from '../ui/card.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import {
  clockErrorAndSpread,
  groupsOf,
  HOUR_SPAN_TEXT,
  HOURS_PROBLEM,
  HOURS_UNREAD,
  type HourSums,
  hourCountText,
  hourStart,
  hoursFileName,
  type StationLook,
  secondsText,
  spokenText,
  stationHoursCsv,
  stationLookOf,
  stationPictureText,
  sumsOf,
  thirdsOf,
} from './station-hours.ts';

const SPANS = HOUR_SPANS.map((value) => ({ value, label: HOUR_SPAN_TEXT[value] }));

/** The hours of each receiver: a picture, sums, and on demand a table. */
export function StationHoursSection({ zone }: { readonly zone: ClockZone }) {
  const [span, setSpan] = useState<HourSpan>('24');
  const [hasTables, setTables] = useState(false);
  const { data, error } = useQuery(receiverHoursQuery(span));
  if (!staysShown(error) || error?.code === 'not_found') return null;
  const report = data?.report ?? undefined;
  const save = (of: HoursReport) =>
    saveFile(new Blob([stationHoursCsv(of)], { type: 'text/csv;charset=utf-8' }), hoursFileName(of));
  return (
    <section aria-labelledby="receiver-hours" className="receiver-hours flex flex-col gap-3">
      <h2 id="receiver-hours" className="font-semibold">
        Over time
      </h2>
      <div className="no-print flex flex-wrap items-center gap-2">
        <div className="w-60">
          <ChoiceRow label="Span" hidesLabel value={span} choices={SPANS} onChange={setSpan} />
        </div>
        <Button aria-pressed={hasTables} onClick={() => setTables(!hasTables)}>
          <Table aria-hidden size={14} />
          Tables
        </Button>
        <Button disabled={!report} onClick={() => report && save(report)}>
          <FileDown aria-hidden size={14} />
          Save as CSV
        </Button>
        <Button onClick={() => window.print()}>
          <Printer aria-hidden size={14} />
          Print
        </Button>
      </div>
      {error && <ReadFailure error={error} />}
      {!error && data?.failure && (
        <p role="alert" className="text-bad">
          {HOURS_UNREAD[data.failure]}
        </p>
      )}
      {!data && !error && <p className="text-dim">Reading the record…</p>}
      <p role="status" className="sr-only">
        {report && spokenText(report, spanOf(report))}
      </p>
      {report && <Report report={report} zone={zone} hasTables={hasTables} />}
    </section>
  );
}

/** The span of the report on screen, while another one is read. */
function spanOf({ hours }: HoursReport): HourSpan {
  return HOUR_SPANS.find((span) => Number(span) === hours) ?? '24';
}

interface ReportProps {
  readonly report: HoursReport;
  readonly zone: ClockZone;
  readonly hasTables: boolean;
}

function Report({ report, zone, hasTables }: ReportProps) {
  const { stations, problem, at } = report;
  return (
    <>
      <p className="text-dim">
        Last {HOUR_SPAN_TEXT[spanOf(report)]} until {momentText(at, zone)}. “By it alone” counts served positions of
        tracks that no other receiver here had reported in the ten seconds before. “Silent” is connected, more than ten
        seconds after the last message.
        {report.hours > 24 && ' Each column is a day, with its hours from top to bottom.'}
      </p>
      {problem && (
        <p role="alert" className="text-warning">
          {HOURS_PROBLEM[problem]}
        </p>
      )}
      {stations.length === 0 ? <p>No hour of this span was recorded.</p> : <HoursLegend />}
      <ul className="grid gap-3 empty:hidden">
        {stations.map((station) => (
          <StationHoursCard
            key={station.id}
            report={report}
            station={station}
            span={spanOf(report)}
            zone={zone}
            hasTable={hasTables}
          />
        ))}
      </ul>
    </>
  );
}

interface StationHoursCardProps {
  readonly report: HoursReport;
  readonly station: StationHours;
  readonly span: HourSpan;
  readonly zone: ClockZone;
  readonly hasTable: boolean;
}

function StationHoursCard({ report, station, span, zone, hasTable }: StationHoursCardProps) {
  const sums = sumsOf(report, station, [...station.positions.keys()]);
  return (
    <li
      aria-label={`Hours of ${station.id}`}
      className="flex min-w-0 flex-col gap-2 rounded-card border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h3 className="min-w-0 break-all font-semibold">{station.id}</h3>
        {station.simulated.includes(true) && <span className="text-warning">simulated: never received</span>}
      </div>
      <StationPicture report={report} station={station} zone={zone} label={stationPictureText(station, span)} />
      <dl className="grid grid-cols-6 gap-x-4 gap-y-2 phone:grid-cols-2">
        {FACTS.map(({ name, text }) => (
          <div key={name} className="min-w-0">
            <dt className="text-caption text-dim">{name}</dt>
            <dd className="break-words">{text(sums)}</dd>
          </div>
        ))}
      </dl>
      {hasTable && <StationTable report={report} station={station} zone={zone} />}
    </li>
  );
}

const FACTS: readonly { readonly name: string; readonly text: (sums: HourSums) => string }[] = [
  { name: 'Positions', text: ({ positions }) => hourCountText(positions) },
  { name: 'By it alone', text: ({ alone }) => hourCountText(alone) },
  { name: 'Silent', text: ({ silentS }) => secondsText(silentS) },
  { name: 'Not connected', text: ({ notConnectedS }) => secondsText(notConnectedS) },
  { name: 'Not recorded', text: ({ notRecordedS }) => secondsText(notRecordedS) },
  { name: 'Clock', text: clockErrorAndSpread },
];

function StationTable({ report, station, zone }: Omit<StationHoursCardProps, 'span' | 'hasTable'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
    <section aria-label={`Table of ${station.id}`} tabIndex={0} className="overflow-x-auto">
      <table className={TABLE}>
        <caption className="sr-only">{station.id}</caption>
        <thead>
          <tr>
            <th scope="col">{report.hours > 24 ? 'Day' : 'Hour'}</th>
            {FACTS.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groupsOf(report, zone).map(({ name, indexes }) => {
            const sums = sumsOf(report, station, indexes);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                {FACTS.map(({ name, text }) => (
                  <td key={name}>{text(sums)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** The look of an hour without colours: a full cell, a small one, or none. */
const CELL: Readonly<Record<Exclude<StationLook, 'unknown'>, (x: number, y: number) => string>> = {
  received: (x, y) => `M${x + 0.04} ${y}h0.92v1h-0.92z`,
  nothing: (x, y) => `M${x + 0.35} ${y + 0.3}h0.3v0.4h-0.3z`,
};
const OPACITY = [0.35, 0.65, 1];
const DAY_ROWS = 24;

interface StationPictureProps {
  readonly report: HoursReport;
  readonly station: StationHours;
  readonly zone: ClockZone;
  readonly label: string;
}

/** Days as columns with their hours as rows. A single day has a column for each hour. */
function StationPicture({ report, station, zone, label }: StationPictureProps) {
  const groups = groupsOf(report, zone);
  const rows = report.hours > 24 ? DAY_ROWS : 1;
  const thirdOf = thirdsOf(station);
  const received = OPACITY.map(() => '');
  let nothing = '';
  for (const [x, { indexes }] of groups.entries()) {
    for (const index of indexes) {
      const look = stationLookOf(station, index);
      const y = rows === 1 ? 0 : Number(clockText(hourStart(report, index), zone).slice(0, 2));
      if (look === 'received') received[thirdOf(index)] += CELL.received(x, y);
      else if (look === 'nothing') nothing += CELL.nothing(x, y);
    }
  }
  return (
    <div>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${groups.length} ${rows}`}
        preserveAspectRatio="none"
        shapeRendering="crispEdges"
        className={rows === 1 ? 'h-6 w-full border border-line bg-raised' : 'h-24 w-full border border-line bg-raised'}
      >
        {received.map(
          (path, third) =>
            path && <path key={OPACITY[third]} d={path} className="fill-focus" fillOpacity={OPACITY[third]} />,
        )}
        {nothing && <path d={nothing} className="fill-text" />}
      </svg>
      <div aria-hidden className="flex justify-between text-caption text-dim">
        <span>{groups[0]?.name}</span>
        <span>{groups.at(-1)?.name}</span>
      </div>
    </div>
  );
}

const LEGEND = [
  { look: 'received', text: 'positions received; the fuller, the more in an hour, by thirds of its hours' },
  { look: 'nothing', text: 'connected and nothing received' },
  { look: 'unknown', text: 'not recorded, or not connected' },
] as const;

function HoursLegend() {
  return (
    <ul aria-label="What the picture shows" className="flex flex-wrap gap-x-4 gap-y-1 text-caption text-dim">
      {LEGEND.map(({ look, text }) => (
        <li key={look} className="flex items-center gap-1.5">
          <svg
            aria-hidden
            viewBox="0 0 1 1"
            className="h-3 w-5 shrink-0 border border-line bg-raised"
            preserveAspectRatio="none"
          >
            {look !== 'unknown' && (
              <path d={CELL[look](0, 0)} className={look === 'received' ? 'fill-focus' : 'fill-text'} />
            )}
          </svg>
          {text}
        </li>
      ))}
    </ul>
  );
}
