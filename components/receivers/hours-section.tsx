'use client';

import './hours-section.css';
import { useQuery } from '@tanstack/react-query';
import { FileDown, Printer, Table } from 'lucide-react';
import { useState } from 'react';
import { HOUR_SPANS, type HourSpan, type HoursReport } from '#lib/api/receivers/receiver-hours.ts';
import { receiverHoursQuery } from '#lib/client/account/account-requests.ts';
import type { ClockZone } from '#lib/model/clock-text.ts';
import { momentText } from '../account/account-text.ts';
import { ReadFailure, staysShown } from '../account/read-failure.tsx';
import { Button } from '../ui/button.tsx';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { saveFile } from '../ui/save-file.ts';
import { hoursFileName, stationHoursCsv } from './station-hours.ts';
import { StationHoursCard } from './station-hours-card.tsx';
import { HOUR_SPAN_TEXT, HOURS_PROBLEM, HOURS_UNREAD, spokenText } from './station-hours-text.ts';
import { HoursLegend } from './station-picture.tsx';

const SPANS = HOUR_SPANS.map((value) => ({ value, label: HOUR_SPAN_TEXT[value] }));

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
      <h2 id="receiver-hours" className="font-semibold text-name">
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

/** Of what is on screen, while another span is read. */
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
