'use client';

import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { Alarm, AlarmNote, PresenceAnswer } from '#lib/api/watching/alarms.ts';
import type { HandOverAnswer } from '#lib/api/watching/hand-over.ts';
import type { Incident } from '#lib/api/watching/incidents.ts';
import type { PermitsAnswer } from '#lib/api/watching/permits.ts';
import { type AlarmLog, alarmLogQuery, presenceQuery } from '#lib/client/alarms/alarms-query.ts';
import { handOverQuery } from '#lib/client/alarms/hand-over-query.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { incidentsQuery } from '#lib/client/incidents/incidents-query.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { failureMessage } from '#lib/client/request/refusal-message.ts';
import { permitsQuery } from '#lib/client/zones/permits-query.ts';
import { type ClockZone, dateTimeText, timeFieldMs, timeFieldText } from '#lib/model/clock-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { epochMs, upstreamInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { ALARM_KIND_TEXT, ALARM_NOTICE, noteText, subjectText, UNWATCHED_TEXT } from '#lib/zones/alarm-words.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import { STATE_TEXT } from '../incidents/incident-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { type ReportTable, ReportText } from '../ui/report-text.tsx';
import { coversText, permitStateText, timesText } from '../zones/permits/permit-text.ts';
import {
  alarmTags,
  answersTo,
  CLOSED_AS_TEXT,
  openText,
  reportTimeText,
  stageText,
  stateText,
  unrecordedText,
  watchingTexts,
} from './alarm-text.ts';

const SHIFT_HOURS = 8;

/** A report of a shift, on screen and for the printer: who was on watch, what they answered, and what was not watched. */
export function ShiftReportDialog({ onClose }: { readonly onClose: () => void }) {
  const { feed, operator } = useLookout();
  const [{ zone: clock, units }] = usePreferences();
  const [nowMs] = useState(() => epochMs(feed.presumedNow()));
  const [span, setSpan] = useState({ startMs: nowMs - SHIFT_HOURS * HOUR_MS, endMs: nowMs });
  const { startMs, endMs } = span;
  const isSpan = startMs < endMs;
  const question = { start: iso(startMs), end: iso(endMs), text: '', zone: undefined, sums: true };
  const log = useQuery({ ...alarmLogQuery(question), enabled: isSpan });
  const presence = useQuery({ ...presenceQuery(question), enabled: isSpan });
  const permits = useQuery({ ...permitsQuery(question), enabled: isSpan });
  const notes = useQuery({ ...handOverQuery(question), enabled: isSpan });
  const incidents = useQuery(incidentsQuery());
  const error = incidents.error ?? log.error ?? presence.error ?? permits.error ?? notes.error;
  const tables = isSpan &&
    log.data &&
    presence.data &&
    permits.data &&
    notes.data &&
    incidents.data && [
      incidentsOfShift(incidents.data.incidents, span, clock),
      notesOfShift(notes.data, clock),
      ...shiftReport(log.data, presence.data, question.start, clock),
      permitsOfShift(permits.data, units, clock),
    ];
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
        description="Incidents, notes, operators, alarms with their comments, permits, and how long each zone was watched."
      >
        <div className="mb-3 flex flex-wrap items-end gap-2">
          {(['startMs', 'endMs'] as const).map((end) => (
            <label key={end} className="flex flex-col gap-1">
              {end === 'startMs' ? 'From' : 'To'}, {clock === 'utc' ? 'UTC' : 'local time'}
              <input
                type="datetime-local"
                defaultValue={timeFieldText(span[end], clock)}
                onChange={({ target }) => {
                  const ms = timeFieldMs(target.value, clock);
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
            <p>{ALARM_NOTICE}</p>
            <p>On watch: ________________ from ________ to ________ Signature: ________________</p>
          </article>,
          document.body,
        )}
    </>
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** The tables of a shift report, each in order of time. @param start of the span */
export function shiftReport(
  { alarms, watching, isCut }: AlarmLog,
  { operators, cut }: PresenceAnswer,
  start: string,
  clock: ClockZone,
): readonly ReportTable[] {
  const at = (text: string | null) => reportTimeText(text, clock);
  const ordered = alarms.toSorted((a, b) => Date.parse(a.opened_at) - Date.parse(b.opened_at));
  const unrecorded = watching && unrecordedText(watching, start, clock);
  return [
    {
      caption: `Operators${cut ? '; earlier times are left out' : ''}`,
      head: ['Operator', 'Lookout open at'],
      rows: (operators ?? []).flatMap(({ operator, stretches }) =>
        stretches.map((stretch) => ({ cells: [operator, openText(stretch, clock)] })),
      ),
      none: operators
        ? 'No operator had Lookout open.'
        : 'Without sign-in, operators have no names, and Lookout does not record who had it open.',
    },
    {
      caption: 'Operators who answered alarms',
      head: ['Operator', 'Acknowledged', 'Permitted', 'Closed'],
      rows: answering(alarms).map(({ name, acknowledged, permitted, closed }) => ({
        cells: [name, String(acknowledged), String(permitted), String(closed)],
      })),
      none: 'No operator answered an alarm of this span.',
    },
    {
      caption: `Alarms: ${alarms.length}${isCut ? ' or more; the report has no more' : ''}`,
      head: ['Opened', 'Zone', 'Alarm', 'State', 'Acknowledged', 'Closed'],
      rows: ordered.map((alarm) => ({
        cells: [
          at(alarm.opened_at),
          alarm.zone.name,
          [`${ALARM_KIND_TEXT[alarm.kind]}: ${subjectText(alarm)}`, ...alarmTags(alarm, undefined, clock)].join(' · '),
          stateText(alarm, clock),
          answersText(alarm, 'acknowledged', at) || stageText(alarm, 'new'),
          answersText(alarm, 'closed', at) || 'Not closed',
        ],
        remarks: answersTo(alarm)
          .filter(({ comment }) => comment !== '')
          .map((note) => (note.kind === 'permitted' ? noteText(note, at) : said(note))),
      })),
      none: 'No alarm opened in this span, from received positions.',
    },
    {
      caption: `Zones, and how long they were watched${unrecorded === undefined ? '' : `. ${unrecorded}`}`,
      head: ['Zone', 'Watched', 'Not watched'],
      rows: (watching?.of_zones ?? []).map((its) => ({ cells: [its.zone.name, ...watchingTexts(its, clock)] })),
      none: unrecorded ?? 'There was no zone in this span.',
    },
    {
      caption: 'Gaps in what was watched',
      head: ['From', 'To', 'Zone', 'State', 'Reason'],
      rows: [...(watching?.unwatched ?? []), ...(watching?.lost ?? [])]
        .toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))
        .map((stretch) => ({
          cells: [
            at(stretch.from),
            at(stretch.to),
            ...('layer' in stretch
              ? [
                  'All zones',
                  `${LAYER_NAME[stretch.layer]} ${isReceptionReason(stretch.reason) ? 'not watched' : 'not read'}`,
                ]
              : [stretch.zone.name, stretch.state === 'partly' ? 'Partly watched' : 'Not watched']),
            stretch.reason === null ? 'Not stated' : UNWATCHED_TEXT[stretch.reason],
          ],
        })),
      none: 'No gap is recorded in the times at which the zones were watched.',
    },
  ];
}

function said({ by, comment }: AlarmNote): string {
  return by === '' ? `“${comment}”` : `${by}: “${comment}”`;
}

interface Activity extends Readonly<Record<AlarmNote['kind'], number>> {
  readonly name: string;
}

function answering(alarms: readonly Alarm[]): readonly Activity[] {
  const answers = alarms.map(answersTo);
  const names = answers.flatMap((its) => its.map(({ by }) => by));
  const count = (name: string, kind: AlarmNote['kind']) =>
    answers.filter((its) => its.some((each) => each.by === name && each.kind === kind)).length;
  return [...new Set(names)].sort().map((name) => ({
    name: name === '' ? 'An operator (no sign-in)' : name,
    acknowledged: count(name, 'acknowledged'),
    permitted: count(name, 'permitted'),
    closed: count(name, 'closed'),
  }));
}

/** The answers of one kind to an alarm, in order of time. */
function answersText(alarm: Alarm, kind: AlarmNote['kind'], moment: (text: string) => string): string {
  return answersTo(alarm)
    .filter((answer) => answer.kind === kind)
    .map(({ by, at, as }) => {
      const how = as === null ? '' : `${CLOSED_AS_TEXT[as]}, `;
      return `${how}${by === '' ? '' : `${by}, `}${moment(at)}`;
    })
    .join('; ');
}

/** The notes that were left during a shift, in order of time, as a table of its report. */
export function notesOfShift({ notes, cut }: HandOverAnswer, clock: ClockZone) {
  return {
    caption: `Hand-over notes${cut ? '; earlier ones are no longer kept' : ''}`,
    head: ['Written', 'By', 'Read by'],
    rows: notes.toReversed().map(({ note, by, at, readers }) => ({
      cells: [
        reportTimeText(at, clock),
        by === '' ? 'An operator (no sign-in)' : by,
        readers.map((reader) => `${reader.by}, ${reportTimeText(reader.at, clock)}`).join('; ') || 'Not read',
      ],
      remarks: [note],
    })),
    none: cut ? 'No note of this span is kept; earlier ones were deleted.' : 'No hand-over note was left in this span.',
  };
}

/** The permits that were valid during a shift, in order of time, as a table of its report. */
export function permitsOfShift({ permits, cut }: PermitsAnswer, units: UnitSystem, clock: ClockZone) {
  const ordered = permits.toSorted((a, b) => Date.parse(a.start) - Date.parse(b.start));
  return {
    caption: `Permits: ${permits.length}${cut ? ' or more; the report has no more' : ''}`,
    head: ['Name', 'Zone', 'Covers', 'Valid', 'State'],
    rows: ordered.map((permit) => ({
      cells: [
        permit.name,
        permit.zone.name,
        coversText(permit, units),
        timesText(permit, undefined, clock),
        permitStateText(permit, undefined, clock),
      ],
    })),
    none: 'No permit was valid in this span.',
  };
}

/** The incidents that ran, or were open, during a shift, in order of their numbers, as a table of its report. */
export function incidentsOfShift(
  incidents: readonly Incident[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  clock: ClockZone,
) {
  const at = (text: string) => reportTimeText(text, clock);
  const of = incidents.filter(({ from, to, opened, closed }) => {
    const began = Math.min(Date.parse(from), Date.parse(opened.at));
    const ended = closed === null ? endMs : Math.max(Date.parse(closed.at), to === null ? 0 : Date.parse(to));
    return began < endMs && ended >= startMs;
  });
  return {
    caption: `Incidents: ${of.length}`,
    head: ['Number', 'Title', 'State', 'Opened', 'From', 'To', 'Notes'],
    rows: of
      .toSorted((a, b) => a.number.localeCompare(b.number))
      .map(({ number, title, state, from, to, opened, notes }) => ({
        cells: [
          number,
          title,
          STATE_TEXT[state],
          [opened.by, at(opened.at)].filter(Boolean).join(', '),
          at(from),
          to === null ? 'Running' : at(to),
          String(notes),
        ],
      })),
    none: 'No incident was open in this span.',
  };
}
