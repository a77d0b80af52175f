import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { clockText } from '#lib/model/clock-text.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { contact, cotEvent, oneLine, remarks } from './cot-event.ts';
import { trackType } from './position-event.ts';
import { escapedForXml, xmlElement } from './xml-element.ts';

const TYPE = 'b-a';
/** With `cancel`, TAK removes the alarm. */
const CANCEL_TYPE = 'b-a-o-can';
/** As long as a delivery is tried. */
const OPEN_MS = DAY_MS;
/** Of ends and trials. */
const BRIEF_MS = 10 * MINUTE_MS;
/** Ends that were seen. After the others, the craft may still be there: the alarm is not cancelled. */
const CANCELS: ReadonlySet<Alarm['ended']> = new Set(['left', 'hours_over', 'rule_changed', 'zone_removed', 'resumed']);

/** With the tags of the alarm. */
export interface EventWords {
  readonly title: string;
  readonly body: string;
  /** When it is sent. */
  readonly at: UpstreamInstant;
}

/** @param zoneCentre where the alarm has no evidence */
export function alarmEvent(alarm: Alarm, words: EventWords, zoneCentre?: LonLat): string {
  const seen = alarm.evidence.at(-1);
  const isCancelled = CANCELS.has(alarm.ended);
  return cotEvent(
    {
      uid: alarm.id,
      type: isCancelled ? CANCEL_TYPE : TYPE,
      how: alarm.simulated ? 'm-s' : 'm-r',
      at: words.at,
      stale: addMs(words.at, alarm.state === 'ended' ? BRIEF_MS : OPEN_MS),
      place: seen ? { lon: seen.longitude, lat: seen.latitude } : zoneCentre,
    },
    alarm.track === null ? '' : link(alarm.track, trackType(KIND_OF_LAYER[alarm.layer])),
    ...details(words, isCancelled),
  );
}

/** Of a trial, or of alarms that are not listed. @param uid of the notice */
export function noticeEvent(uid: string, words: EventWords): string {
  const { at } = words;
  return cotEvent(
    { uid, type: TYPE, how: 'm-r', at, stale: addMs(at, BRIEF_MS), place: undefined },
    ...details(words, false),
  );
}

/** Repeated while it lasts, so that it goes stale with Lookout. */
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
  return cotEvent(
    {
      uid,
      type: isLost ? TYPE : CANCEL_TYPE,
      how: 'm-r',
      at,
      stale: addMs(at, 3 * RECEPTION_EVERY_MS),
      place: undefined,
    },
    ...details({ title: `Lookout: ${title}`, body, at }, !isLost),
  );
}

/** ATAK draws an alarm only with `emergency` (EmergencyDetailHandler). */
function details({ title, body }: EventWords, isCancelled: boolean): readonly string[] {
  const callsign = oneLine(title);
  const attributes = isCancelled ? { cancel: 'true' } : { type: callsign };
  return [contact(callsign), xmlElement('emergency', attributes, escapedForXml(callsign)), remarks([body])];
}

/** ATAK takes the track of this uid and type for the one in danger, if the relation is `p-p` (EmergencyAlertReceiver). */
function link(uid: string, type: string): string {
  return xmlElement('link', { uid, type, relation: 'p-p' });
}
