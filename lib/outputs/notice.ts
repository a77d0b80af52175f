import { formatAddress, parseAddress } from '#lib/api/address-state.ts';
import type { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { decimalText } from '#lib/geo/coordinate-text.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { dateText, dateTimeText } from '#lib/model/clock-text.ts';
import { durationText } from '#lib/model/duration-text.ts';
import { lengthText, speedText } from '#lib/model/measure-text.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import { plainLine } from '#lib/text/plain-line.ts';
import { addMs, epochMs, instantOf, msBetween, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type AlarmPlace, heightText, placeText, raisedAt } from '#lib/zones/alarm-place.ts';
import {
  ALARM_KIND_TEXT,
  ALARM_NOTICE,
  alarmHeadline,
  alarmStateText,
  alarmTitle,
  endText,
  noteText,
  subjectText,
  tagTexts,
} from '#lib/zones/alarm-words.ts';
import { HEIGHT_FIELD_TEXT, HEIGHT_FIELDS } from '#lib/zones/height-field.ts';
import { type ReceiverChange, receiverTitle, TROUBLE_ADVICE } from './receiver-change.ts';

/** A `summary` says "and 41 more". */
export type NoticeType = (typeof ANNOUNCED)[number] | 'escalated' | 'summary' | 'trial' | 'receiver';

/** A message about alarms to one destination. */
export interface Notice {
  /** UUID, the same over all tries. */
  readonly id: string;
  readonly type: NoticeType;
  /** The time of the decision. */
  readonly at: UpstreamInstant;
  /** The alarms in their state at the moment of sending. The first one made the notice; a trial has none. */
  readonly alarms: readonly Alarm[];
  /** The change that it reports instead of alarms. */
  readonly receiver?: ReceiverChange | undefined;
  /** How many further alarms it contains without listing them. */
  readonly more: number;
  /** Number of zones of all alarms in it. */
  readonly zones: number;
  /** Where each alarm was raised, by its id; without those that have no evidence. */
  readonly places: ReadonlyMap<string, AlarmPlace>;
  /** The centre of each zone, by its id. */
  readonly zoneCentres: ReadonlyMap<string, LonLat>;
  /** Replay at the moment; null without `PUBLIC_URL`, and in a trial. */
  readonly link: string | null;
  readonly units: UnitSystem;
  /** IANA name. */
  readonly timeZone: string;
}

export interface NoticeText {
  /** The title is one line without control characters, never empty. */
  readonly title: string;
  /** Lines separated by `\n`, the most important first. */
  readonly body: string;
}

/** The alarms as programs read them: each with its place, or null without evidence. */
export function placedAlarms({ alarms, places }: Pick<Notice, 'alarms' | 'places'>) {
  return alarms.map((alarm) => ({ ...alarm, place: places.get(alarm.id) ?? null }));
}

/** @param now when it is sent */
export function noticeText(notice: Notice, now: UpstreamInstant): NoticeText {
  const { receiver } = notice;
  const lines = receiver
    ? receiverLines(receiver, notice)
    : notice.type === 'trial'
      ? trialLines(notice)
      : alarmLines(notice, now);
  return { title: titleOf(notice), body: lines.map(plainLine).join('\n') };
}

/** The text of a notification, which a lock screen may show. @param hasPlace with height and place of the alarm */
export function briefNotice(notice: Notice, hasPlace: boolean): NoticeText {
  const { type, alarms, more, timeZone } = notice;
  const [first] = alarms;
  const moment = (text: string | null) => momentOf(text, timeZone);
  const lines =
    first && type !== 'summary'
      ? [
          tagTexts(first, moment).join(' · '),
          [alarmTitle(first), ...(hasPlace ? raisedTexts(first, notice) : [])].join(' · '),
          `Opened ${moment(first.opened_at)}`,
        ]
      : [alarms.length + more > 0 ? 'Lookout lists them.' : 'There is no alarm.'];
  return {
    title: titleOf(notice),
    body: lines
      .filter((line) => line !== '')
      .map(plainLine)
      .join('\n'),
  };
}

function titleOf(notice: Notice): string {
  return plainLine([...noticeTags(notice), subjectOf(notice)].join(' · '));
}

/** `SIM` only if all of them are simulated: real ones must not hide behind it. */
export function noticeTags({ alarms, more }: Pick<Notice, 'alarms' | 'more'>): readonly string[] {
  const tagOf = (tag: string, tagged: number) =>
    tagged === 0 ? [] : tagged === alarms.length && more === 0 ? tag : `${tag} IN PART`;
  return [
    tagOf('SIM', alarms.filter(({ simulated }) => simulated).length),
    tagOf('TEST', alarms.filter(({ test }) => test).length),
  ].flat();
}

function subjectOf(notice: Notice): string {
  const { type, alarms, more } = notice;
  if (notice.receiver) return receiverTitle(notice.receiver);
  if (type === 'trial') return 'TRIAL · Notices of Lookout arrive here';
  const [first, ...others] = alarms;
  const rest = others.length + more;
  if (!first || type === 'summary') return `${alarms.length + more} more alarms${inZonesText(notice)}`;
  const group = rest === 0 ? '' : `, and ${rest} more${inZonesText(notice)}`;
  return `${eventText(type, first)}${group}`;
}

/** The alarm may have changed since the notice was decided. */
function eventText(type: Notice['type'], alarm: Alarm): string {
  const headline = alarmHeadline(alarm);
  // “Drone 18C62 in Runway 14” does not fit an alarm that ended.
  const subject = `${subjectText(alarm)}, ${alarm.zone.name}`;
  switch (type) {
    case 'reopened':
      return `Again: ${headline}`;
    case 'unknown':
      return `${alarm.state === 'unknown' ? 'Lost, not watched' : 'Was lost for a while'}: ${subject}`;
    case 'known':
      return `Back, watched again: ${subject}`;
    case 'ended':
      return `${alarm.state === 'ended' ? `Ended, ${endText(alarm.ended)}` : 'Ended, and open again since'}: ${subject}`;
    case 'escalated':
      return `Not acknowledged: ${headline}`;
    default:
      return headline;
  }
}

/** ` in Runway 14` */
function inZonesText({ alarms: [first], zones }: Notice): string {
  return zones > 1 ? ` in ${zones} zones` : first ? ` in ${first.zone.name}` : '';
}

function trialLines({ at, timeZone }: Notice): readonly string[] {
  return [
    'This is a trial. An admin of Lookout sent it; there is no alarm.',
    `Sent ${momentText(at, timeZone)}`,
    ALARM_NOTICE,
  ];
}

function receiverLines(change: ReceiverChange, { at, timeZone }: Notice): readonly string[] {
  const { began, since, problem, trouble } = change;
  return [
    receiverTitle(change),
    since === null ? [] : `Since ${momentOf(since, timeZone)}`,
    problem === null ? [] : `Cause: ${problem}`,
    `Noticed ${momentText(at, timeZone)}`,
    began ? TROUBLE_ADVICE[trouble] : [],
  ].flat();
}

function alarmLines(notice: Notice, now: UpstreamInstant): readonly string[] {
  const { type, alarms, more, link } = notice;
  const [first, ...others] = alarms;
  const listed = first && type !== 'summary' ? others : alarms;
  return [
    first && type !== 'summary' ? detailLines(first, notice, now) : [],
    type === 'escalated' ? 'No operator has acknowledged it.' : [],
    listed.map((alarm) => `- ${briefText(alarm, notice)}`),
    more === 0 ? [] : `And ${more} more${inZonesText(notice)}, not listed here.`,
    link === null ? [] : `Replay: ${link}`,
    ALARM_NOTICE,
  ].flat();
}

function detailLines(alarm: Alarm, notice: Notice, now: UpstreamInstant): readonly string[] {
  const { zone, rule, opened_at, perhaps_same_as } = alarm;
  const moment = (text: string | null) => momentOf(text, notice.timeZone);
  return [
    tagTexts(alarm, moment).join(' · '),
    [alarmTitle(alarm), ...raisedTexts(alarm, notice, true)].join(' · '),
    `Zone: ${zone.name}, revision ${zone.revision}`,
    `Rule: ${ruleText(rule.kind)}`,
    evidenceLines(alarm, notice, now),
    `Opened ${moment(opened_at)}${ageText(opened_at, now)}`,
    `State: ${alarmStateText(alarm, moment)}`,
    alarm.notes.filter(({ kind }) => kind === 'permitted').map((note) => noteText(note, moment)),
    perhaps_same_as === null ? [] : `Perhaps the same as ${earlierText(perhaps_same_as, notice.alarms)}`,
  ]
    .flat()
    .filter((line) => line !== '');
}

/** Height and place: the row of the alarm says the same. */
function raisedTexts(alarm: Alarm, { places, units }: Notice, isExact = false): readonly string[] {
  const record = raisedAt(alarm);
  const place = places.get(alarm.id);
  return [record ? heightText(record, units) : [], place ? placeText(place, units, isExact) : []].flat();
}

function briefText(alarm: Alarm, notice: Notice): string {
  const moment = (text: string | null) => momentOf(text, notice.timeZone);
  const tags = tagTexts(alarm, moment).map((tag) => `${tag} · `);
  const state = alarm.state === 'open' ? '' : `. ${alarmStateText(alarm, moment)}`;
  const raised = raisedTexts(alarm, notice).map((text) => ` · ${text}`);
  return `${tags.join('')}${alarmHeadline(alarm)}${raised.join('')}, ${moment(alarm.opened_at)}${state}`;
}

/** The latest position of its track that decided. */
function evidenceLines(alarm: Alarm, notice: Notice, now: UpstreamInstant): readonly string[] {
  const record = raisedAt(alarm);
  if (!record) return alarm.track === null ? [] : ['Position and height: not stated'];
  const { longitude: lon, latitude: lat, observed_at, speed_mps } = record;
  const heights = HEIGHT_FIELDS.flatMap((field) => {
    const height = lengthText(notice.units, record[field] ?? undefined);
    return height === undefined ? [] : `${capitalised(HEIGHT_FIELD_TEXT[field])}: ${height}`;
  });
  const speed = speedText(notice.units, speed_mps ?? undefined);
  return [
    ...(heights.length === 0 ? ['Height: not reported'] : heights),
    speed === undefined ? [] : `Speed: ${speed}`,
    `Position: ${decimalText({ lon, lat })}, observed ${momentOf(observed_at, notice.timeZone)}${ageText(observed_at, now)}`,
  ].flat();
}

function earlierText(id: string, alarms: readonly Alarm[]): string {
  const earlier = alarms.find((alarm) => alarm.id === id);
  return earlier ? subjectText(earlier) : `in an earlier alarm (${id})`;
}

function ruleText(kind: string): string {
  return Object.entries(ALARM_KIND_TEXT).find(([name]) => name === kind)?.[1] ?? kind;
}

function momentOf(text: string | null, timeZone: string): string {
  const at = text === null ? undefined : parseInstant(text);
  return at === undefined ? 'at a time that is not stated' : momentText(at, timeZone);
}

/** Mail may be read much later than it was sent. */
function ageText(text: string, now: UpstreamInstant): string {
  const at = parseInstant(text);
  return at === undefined ? '' : `, ${durationText(msBetween(at, now))} before this was sent`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `2026-11-27 13:00:00 Europe/Zurich (12:00:00Z)`; the date of UTC where it differs. @param timeZone IANA name */
function momentText(at: UpstreamInstant, timeZone: string): string {
  const utc = dateTimeText(at, 'utc');
  if (timeZone === 'UTC') return utc;
  const { year, month, day, hour, minute, second } = partsAt(at, timeZone);
  const date = `${year}-${month}-${day}`;
  const other = date === dateText(at, 'utc') ? utc.slice(11) : utc;
  return `${date} ${hour}:${minute}:${second} ${timeZone} (${other})`;
}

function partsAt(at: UpstreamInstant, timeZone: string): Readonly<Record<string, string>> {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return Object.fromEntries(format.formatToParts(epochMs(at)).map(({ type, value }) => [type, value]));
}

const AROUND_MS = 5 * MINUTE_MS;
/** A screen then shows about 3 km. */
const ZOOM = 13;

/**
 * @param centre what the map shows; default: the last position that decided
 * @returns the address of a replay at the moment when the alarm opened
 */
export function alarmLink(origin: string, alarm: Alarm, now: UpstreamInstant, centre = decidedAt(alarm)): string {
  const cursor = instantOf(alarm.opened_at);
  const after = addMs(cursor, AROUND_MS);
  const address = formatAddress({
    ...parseAddress('').state,
    view: centre ? { ...centre, zoom: ZOOM, bearingDeg: 0 } : undefined,
    selectedRefs: alarm.track === null ? [] : [alarm.track],
    replay: {
      window: { start: addMs(cursor, -AROUND_MS), end: after < now ? after : now },
      area: undefined,
      cursor,
      speed: 1,
    },
  });
  return `${origin}/${address}`;
}

function decidedAt({ evidence }: Alarm): LonLat | null {
  const last = evidence.at(-1);
  return last ? { lon: last.longitude, lat: last.latitude } : null;
}
