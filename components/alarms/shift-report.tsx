'use client';

import { failureMessage } from '#lib/client/request/refusal-message.ts';
import '../ui/answer-sheet.css';
import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { Alarm, AlarmNote, PresenceAnswer } from '#lib/api/watching/alarms.ts';
import { type AlarmLog, alarmLogQuery, presenceQuery } from '#lib/client/alarms/alarms-query.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import { epochMs, parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { ALARM_KIND_TEXT, ALARM_NOTICE, subjectText, tagTexts } from '#lib/zones/alarm-words.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { REASON_TEXT } from '../zones/zone-text.ts';
import { answersTo, CLOSED_AS_TEXT, openText, STAGE_TEXT, stateText, unrecordedText } from './alarm-text.ts';

const SHIFT_HOURS = 8;

/** A report of a shift, on screen and for the printer: who was on watch, what they answered, and what was not watched. */
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

interface ReportTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The sentence in place of a table without rows. */
  readonly none: string;
}

/** The tables of a shift report, each in order of time. @param start of the span */
export function shiftReport(
  { alarms, watching, isCut }: AlarmLog,
  { operators, cut }: PresenceAnswer,
  start: string,
  clock: ClockZone,
): readonly ReportTable[] {
  const at = (text: string | null) => momentText(text, clock);
  const ordered = alarms.toSorted((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
  const unrecorded = watching && unrecordedText(watching, start, clock);
  return [
    {
      caption: `Operators with an open page that received alarms, looked at or not${cut ? '; earlier times are left out' : ''}`,
      head: ['Operator', 'Page open'],
      rows: (operators ?? []).flatMap(({ operator, stretches }) =>
        stretches.map((stretch) => [operator, openText(stretch, clock)]),
      ),
      none: operators
        ? 'No operator had a page open that received alarms.'
        : 'Without sign-in, operators have no names, and Lookout does not record open pages.',
    },
    {
      caption: 'Operators who acknowledged or closed alarms',
      head: ['Operator', 'Acknowledged', 'Closed'],
      rows: answering(alarms).map(({ name, acknowledged, closed }) => [name, String(acknowledged), String(closed)]),
      none: 'No operator acknowledged or closed an alarm of this span.',
    },
    {
      caption: `Alarms: ${alarms.length}${isCut ? ' or more; the report has no more' : ''}`,
      head: ['Opened', 'Zone', 'Alarm', 'State', 'Acknowledged', 'Closed'],
      rows: ordered.map((alarm) => [
        at(alarm.opened_at),
        alarm.zone.name,
        [`${ALARM_KIND_TEXT[alarm.kind]}: ${subjectText(alarm)}`, ...tagTexts(alarm)].join(' · '),
        stateText(alarm, clock),
        answersText(alarm, 'acknowledged', at) || STAGE_TEXT.new,
        answersText(alarm, 'closed', at) || 'Not closed',
      ]),
      none: 'No alarm opened in this span, from received positions.',
    },
    {
      caption: `Not, or only partly, watched${unrecorded === undefined ? '' : `. ${unrecorded}`}`,
      head: ['From', 'To', 'Zone', 'State', 'Reason'],
      rows: [...(watching?.unwatched ?? []), ...(watching?.lost ?? [])]
        .toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))
        .map((stretch) => [
          at(stretch.from),
          at(stretch.to),
          ...('layer' in stretch
            ? [
                'All zones',
                `${LAYER_NAME[stretch.layer]} ${isReceptionReason(stretch.reason) ? 'not watched' : 'not read'}`,
              ]
            : [stretch.zone.name, stretch.state === 'partly' ? 'Partly watched' : 'Not watched']),
          stretch.reason === null ? 'Not stated' : REASON_TEXT[stretch.reason],
        ]),
      none: unrecorded ?? 'Every zone that you see was watched during its hours in this span.',
    },
  ];
}

interface Activity {
  readonly name: string;
  readonly acknowledged: number;
  readonly closed: number;
}

function answering(alarms: readonly Alarm[]): readonly Activity[] {
  const answers = alarms.map(answersTo);
  const names = answers.flatMap((its) => its.map(({ by }) => by));
  const count = (name: string, kind: AlarmNote['kind']) =>
    answers.filter((its) => its.some((each) => each.by === name && each.kind === kind)).length;
  return [...new Set(names)].sort().map((name) => ({
    name: name === '' ? 'An operator (no sign-in)' : name,
    acknowledged: count(name, 'acknowledged'),
    closed: count(name, 'closed'),
  }));
}

/** The answers of one kind to an alarm, in order of time. */
function answersText(alarm: Alarm, kind: AlarmNote['kind'], moment: (text: string) => string): string {
  return answersTo(alarm)
    .filter((answer) => answer.kind === kind)
    .map(({ by, at, as, comment }) => {
      const how = as === null ? '' : `${CLOSED_AS_TEXT[as]}, `;
      return `${how}${by === '' ? '' : `${by}, `}${moment(at)}${comment === '' ? '' : `: “${comment}”`}`;
    })
    .join('; ');
}

function momentText(text: string | null, clock: ClockZone): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? 'not stated' : dateTimeText(at, clock);
}

/** The value of a field for a time, such as `2026-11-27T06:00`. */
export function fieldText(ms: number, clock: ClockZone): string {
  return dateTimeText(upstreamInstant(ms), clock).slice(0, 16).replace(' ', 'T');
}

/** The epoch milliseconds of a field; `undefined` if it is empty. */
export function fieldMs(text: string, clock: ClockZone): number | undefined {
  const ms = Date.parse(clock === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}
