'use client';

import { failureMessage } from '#lib/client/request/refusal-message.ts';
import '../ui/answer-sheet.css';
import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { alarmLogQuery, presenceQuery } from '#lib/client/alarms/alarms-query.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { dateTimeText } from '#lib/model/clock-text.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { ALARM_NOTICE } from '#lib/zones/alarm-words.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { fieldMs, fieldText, type ReportTable, shiftReport } from './shift-report.ts';

const SHIFT_HOURS = 8;

export function ShiftReportDialog({ onClose }: { readonly onClose: () => void }) {
  const { feed, operator } = useLookout();
  const [{ zone: clock }] = usePreferences();
  const [nowMs] = useState(() => epochMs(feed.presumedNow()));
  const [span, setSpan] = useState({ startMs: nowMs - SHIFT_HOURS * HOUR_MS, endMs: nowMs });
  const { startMs, endMs } = span;
  const isSpan = startMs < endMs;
  const question = { start: iso(startMs), end: iso(endMs), text: '', zone: undefined };
  const log = useQuery({ ...alarmLogQuery(question), enabled: isSpan });
  const presence = useQuery({ ...presenceQuery(question), enabled: isSpan });
  const error = log.error ?? presence.error;
  const tables = isSpan && log.data && presence.data && shiftReport(log.data, presence.data, question.start, clock);
  const lines = [
    `From ${text(startMs)} to ${text(endMs)}, observed times`,
    `Made ${text(nowMs)}${operator === undefined ? '' : ` by ${operator.name}`}`,
  ];
  function text(ms: number): string {
    return dateTimeText(upstreamInstant(ms), clock);
  }
  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title="Shift report"
        description="Alarms with their comments, and stretches that were not watched."
      >
        <div className="mb-3 flex flex-wrap items-end gap-2">
          {(['startMs', 'endMs'] as const).map((end) => (
            <label key={end} className="flex flex-col gap-1">
              {end === 'startMs' ? 'From' : 'To'}, {clock === 'utc' ? 'UTC' : 'local time'}
              <input
                type="datetime-local"
                defaultValue={fieldText(span[end], clock)}
                onChange={({ target }) => {
                  const ms = fieldMs(target.value, clock);
                  if (ms !== undefined) setSpan((before) => ({ ...before, [end]: ms }));
                }}
                className="h-8 rounded-control border border-edge bg-background px-2 phone:h-11"
              />
            </label>
          ))}
          <Button look="primary" disabled={!tables} onClick={() => window.print()}>
            <Printer aria-hidden size={14} />
            Print
          </Button>
        </div>
        {!isSpan && (
          <p role="alert" className="text-bad">
            The span ends before it begins.
          </p>
        )}
        {error && (
          <p role="alert" className="text-bad">
            The report could not be read. {failureMessage(error)}
          </p>
        )}
        {isSpan && !tables && !error && <p role="status">Reading the report…</p>}
        {tables && <ReportText lines={lines} tables={tables} />}
      </Dialog>
      {tables &&
        createPortal(
          <article className="answer-sheet" data-testid="shift-report-sheet">
            <h1>Lookout: shift report</h1>
            <ReportText lines={lines} tables={tables} />
            <p>On watch: ________________ from ________ to ________ Signature: ________________</p>
          </article>,
          document.body,
        )}
    </>
  );
}

function ReportText({ lines, tables }: { readonly lines: readonly string[]; readonly tables: readonly ReportTable[] }) {
  return (
    <div className="answer-text" data-testid="shift-report">
      <section aria-label="Span">
        {lines.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
      {tables.map(({ caption, head, rows, none }) =>
        rows.length === 0 ? (
          <p key={caption}>{none}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways needs to be reached by keyboard.
          <table key={caption} tabIndex={0}>
            <caption>{caption}</caption>
            <thead>
              <tr>
                {head.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((cells) => (
                <tr key={cells.join()}>
                  {cells.map((cell, index) => (
                    <td key={head[index]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ),
      )}
      <p>{ALARM_NOTICE}</p>
    </div>
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
