import type { Alarm, AlarmNote, PresenceAnswer } from '#lib/api/watching/alarms.ts';
import type { AlarmLog } from '#lib/client/alarms/alarms-query.ts';
import { LAYER_NAME } from '#lib/client/display/layer-text.ts';
import { type ClockZone, dateTimeText } from '#lib/model/clock-text.ts';
import { parseInstant, upstreamInstant } from '#lib/time/instant.ts';
import { ALARM_KIND_TEXT, subjectText, tagTexts } from '#lib/zones/alarm-words.ts';
import { isReceptionReason } from '#lib/zones/stretches/watched-reception.ts';
import { REASON_TEXT } from '../zones/zone-text.ts';
import { answersTo, CLOSED_AS_TEXT, openText, STAGE_TEXT, stateText, unrecordedText } from './alarm-text.ts';

export interface ReportTable {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Shown without rows. */
  readonly none: string;
}

/** In order of time. @param start of the span */
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

/** Of one kind, in order of time. */
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

/** `2026-11-27T06:00` */
export function fieldText(ms: number, clock: ClockZone): string {
  return dateTimeText(upstreamInstant(ms), clock).slice(0, 16).replace(' ', 'T');
}

/** Epoch milliseconds; `undefined` for an empty field. */
export function fieldMs(text: string, clock: ClockZone): number | undefined {
  const ms = Date.parse(clock === 'utc' ? `${text}Z` : text);
  return Number.isNaN(ms) ? undefined : ms;
}
