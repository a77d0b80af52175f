import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { wrapBearing } from '#lib/geo/longitude.ts';
import { expiryMs } from '#lib/model/ageing.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { confidenceText } from '#lib/model/confidence.ts';
import { emergencyWords } from '#lib/model/emergency.ts';
import type { Layer, Position, TrackKind } from '#lib/model/position.ts';
import { KIND_OF_LAYER, KIND_TEXT } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { xmlElement, xmlText } from '#lib/text/xml.ts';
import { addMs, epochMs, formatInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type Notice, noticeText } from './notice.ts';

/** One event for each listed alarm, and one for all that are not listed. @param at when they are sent */
export function noticeEvents(notice: Notice, at: UpstreamInstant): string {
  const { id, type, alarms, more } = notice;
  const ofAlarms = alarms.map((alarm, place) => {
    const ofType = type === 'summary' ? (alarm.state === 'ended' ? 'ended' : 'opened') : type;
    const link = place === 0 ? notice.link : null;
    const alone: Notice = { ...notice, type: ofType, alarms: [alarm], more: 0, zones: 1, link };
    return alarmEvent(alarm, { ...noticeText(alone, at), at }, notice.zoneCentres.get(alarm.zone.id));
  });
  const isListed = more === 0 && alarms.length > 0;
  return [...ofAlarms, isListed ? '' : noticeEvent(id, { ...noticeText(notice, at), at })].join('');
}

const ALARM_TYPE = 'b-a';
/** With `cancel`, TAK removes the alarm. */
const CANCEL_TYPE = 'b-a-o-can';
/** An open alarm goes stale when its delivery is no longer tried. */
const OPEN_MS = DAY_MS;
/** Ends and trials go stale sooner. */
const BRIEF_MS = 10 * MINUTE_MS;
/** Ends that were seen. After the others, the craft may still be there: the alarm is not cancelled. */
const CANCELS: ReadonlySet<Alarm['ended']> = new Set(['left', 'hours_over', 'rule_changed', 'zone_removed', 'resumed']);

/** Title and body contain the tags of the alarm. */
export interface EventWords {
  readonly title: string;
  readonly body: string;
  /** The time at which the event is sent. */
  readonly at: UpstreamInstant;
}

/** @param zoneCentre where the alarm has no evidence */
export function alarmEvent(alarm: Alarm, words: EventWords, zoneCentre?: LonLat): string {
  const last = alarm.evidence.at(-1);
  const isCancelled = CANCELS.has(alarm.ended);
  const link = { uid: alarm.track ?? '', type: TRACK_TYPE[KIND_OF_LAYER[alarm.layer]], relation: 'p-p' };
  return cotEvent(
    {
      uid: alarm.id,
      type: isCancelled ? CANCEL_TYPE : ALARM_TYPE,
      how: alarm.simulated ? 'm-s' : 'm-r',
      at: words.at,
      stale: addMs(words.at, alarm.state === 'ended' ? BRIEF_MS : OPEN_MS),
      place: last ? { lon: last.longitude, lat: last.latitude } : zoneCentre,
    },
    // ATAK takes the track of this uid and type for the one in danger, if the relation is `p-p` (EmergencyAlertReceiver).
    alarm.track === null ? '' : xmlElement('link', link),
    ...alarmDetails(words, isCancelled),
  );
}

/** The event of a trial, or of alarms that are not listed. @param uid of the notice */
export function noticeEvent(uid: string, words: EventWords): string {
  const { at } = words;
  return cotEvent(
    { uid, type: ALARM_TYPE, how: 'm-r', at, stale: addMs(at, BRIEF_MS), place: undefined },
    ...alarmDetails(words, false),
  );
}

/** The alarm about a layer without a receiver is repeated while it lasts, so that it goes stale with Lookout. */
export const RECEPTION_EVERY_MS = MINUTE_MS;

interface LayerReception {
  readonly uid: string;
  readonly layer: Layer;
  /** Other states than `lost` cancel the alarm. */
  readonly reception: Pick<Reception, 'state' | 'since'>;
  readonly at: UpstreamInstant;
}

/** Tracks that go stale at the receiver do not say whether the sky or the receivers are silent. */
export function receptionEvent({ uid, layer, reception: { state, since }, at }: LayerReception): string {
  const isLost = state === 'lost';
  const receiver = `${KIND_OF_LAYER[layer]} receiver`;
  const title = isLost ? `No ${receiver}` : `${receiver} back`;
  const sinceText = since === undefined ? '' : ` since ${clockText(since, 'utc')}`;
  const body = isLost ? `No ${receiver} delivers${sinceText}. Its tracks go stale.` : '';
  const stale = addMs(at, 3 * RECEPTION_EVERY_MS);
  return cotEvent(
    { uid, type: isLost ? ALARM_TYPE : CANCEL_TYPE, how: 'm-r', at, stale, place: undefined },
    ...alarmDetails({ title: `Lookout: ${title}`, body, at }, !isLost),
  );
}

/** ATAK draws an alarm only with `emergency` (EmergencyDetailHandler). */
function alarmDetails({ title, body }: EventWords, isCancelled: boolean): readonly string[] {
  const callsign = oneLine(title);
  const attributes = isCancelled ? { cancel: 'true' } : { type: callsign };
  return [contact(callsign), xmlElement('emergency', attributes, xmlText(callsign)), remarks([body])];
}

/**
 * Neutral, and no more than the contract states: docs/outputs.md gives the reasons. Of the types of drones only
 * `A-C-F-q` is not military.
 */
const TRACK_TYPE: Readonly<Record<TrackKind, string>> = { aircraft: 'a-n-A', drone: 'a-n-A-C-F-q' };

/**
 * The uid is the reference: when that rotates, the track at the receiver ends and another begins.
 * @param hasTrail whether clients of TAK draw the positions that they received of it
 */
export function positionEvent(position: Position, hasTrail = false): string {
  const { ref, kind, simulated, testBroadcast } = position;
  const tags = [...(simulated ? ['SIM'] : []), ...(testBroadcast ? ['TEST'] : [])];
  const track = trackElement(position);
  return cotEvent(
    {
      uid: ref,
      type: TRACK_TYPE[kind],
      how: simulated ? 'm-s' : 'm-r',
      at: position.observedAt,
      stale: staleAt(position),
      place: position,
    },
    contact(oneLine([...tags, KIND_TEXT[kind], shortReference(ref)].join(' '))),
    track,
    hasTrail ? TRAIL : '',
    remarks(remarkLines(position, tags, track !== '')),
  );
}

/** ATAK reads `1` and `true` as on (TracksDetailHandler), and switches it once for each track. */
const TRAIL = xmlElement('__bread_crumbs', { enabled: '1' });

/** When TAK drops the track, as the map does. */
export function staleAt({ observedAt, staleAfter, kind }: Position): UpstreamInstant {
  const staleAfterMs = staleAfter === undefined ? Number.NaN : epochMs(staleAfter);
  return upstreamInstant(expiryMs(epochMs(observedAt), staleAfterMs, kind));
}

/** The format requires both attributes, and a course below 360 (MITRE case 06-0358). */
function trackElement({ headingDeg, speedMps }: Position): string {
  if (headingDeg === undefined || speedMps === undefined || speedMps < 0) return '';
  const course = wrapBearing(Math.round(headingDeg * 10) / 10);
  return xmlElement('track', { course: decimal(course, 1), speed: decimal(speedMps, 2) });
}

function remarkLines(position: Position, tags: readonly string[], hasTrack: boolean): (string | undefined)[] {
  const { kind, altitudeM, heightAglM, headingDeg, speedMps, confidence, emergencyState } = position;
  return [
    tags.length === 0 ? undefined : tags.join(' '),
    `${KIND_TEXT[kind]} ${position.ref}, not identified`,
    heightAglM === undefined ? undefined : `height_agl_m: ${decimal(heightAglM, 1)} m above ground, estimated`,
    altitudeM === undefined ? undefined : `altitude_m: ${decimal(altitudeM, 1)} m, no datum`,
    hasTrack || headingDeg === undefined ? undefined : `heading_deg: ${decimal(headingDeg, 1)}`,
    hasTrack || speedMps === undefined ? undefined : `speed_mps: ${decimal(speedMps, 2)}`,
    confidence === undefined ? undefined : `confidence: ${confidenceText(confidence)}`,
    emergencyState === undefined ? undefined : `emergency_state: ${emergencyWords(emergencyState)}`,
  ];
}

/** A TAK server answers with a `t-x-c-t-r`; others ignore it. */
export function pingEvent(at: UpstreamInstant): string {
  const stale = addMs(at, MINUTE_MS);
  return cotEvent({ uid: 'lookout-ping', type: 't-x-c-t', how: 'm-r', at, stale, place: undefined });
}

/** CoT's value of an unknown height or error (takcot; ATAK CotPoint.UNKNOWN). */
const UNKNOWN = '9999999';
/** Degrees have the steps of the contract. */
const DEGREE_DIGITS = 6;

interface CotEvent {
  /** A later event with the same uid replaces this one at the receiver. */
  readonly uid: string;
  readonly type: string;
  /** How the coordinates came about: `m-r` relayed, `m-s` simulated. */
  readonly how: 'm-r' | 'm-s';
  readonly at: UpstreamInstant;
  readonly stale: UpstreamInstant;
  /** CoT requires one; `undefined` is written as 0, 0, the default of ATAK (CotPoint.ZERO). */
  readonly place: LonLat | undefined;
}

/** Cursor on Target 2.0 (MITRE case 11-3895). @param detail XML */
function cotEvent({ uid, type, how, at, stale, place }: CotEvent, ...detail: readonly string[]): string {
  const time = formatInstant(at);
  return xmlElement(
    'event',
    { version: '2.0', uid, type, how, time, start: time, stale: formatInstant(stale) },
    xmlElement('point', {
      lat: decimal(place?.lat ?? 0, DEGREE_DIGITS),
      lon: decimal(place?.lon ?? 0, DEGREE_DIGITS),
      hae: UNKNOWN,
      ce: UNKNOWN,
      le: UNKNOWN,
    }),
    xmlElement('detail', {}, ...detail),
  );
}

function contact(callsign: string): string {
  return xmlElement('contact', { callsign });
}

function remarks(lines: readonly (string | undefined)[]): string {
  return xmlElement('remarks', {}, xmlText(lines.filter((line) => line !== undefined).join('\n')));
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** The number as xs:decimal: no exponent, no `-0`. @param digits up to 6 */
function decimal(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)) + 0);
}
