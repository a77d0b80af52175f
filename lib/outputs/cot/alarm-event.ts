import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import { KIND_OF_LAYER } from '#lib/model/layer-kind.ts';
import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { contact, cotEvent, remarks } from './cot-event.ts';
import { tagsOf, trackType } from './position-event.ts';
import { escapedForXml, xmlElement } from './xml-element.ts';

const TYPE = 'b-a';
/** With `cancel`, TAK removes the alarm. */
const CANCEL_TYPE = 'b-a-o-can';
/** As long as a delivery is tried. */
const OPEN_MS = DAY_MS;
/** Of what a receiver may drop soon: ends and trials. */
const BRIEF_MS = 10 * MINUTE_MS;
/** Ends that were seen. After the others, the craft may still be there: the alarm is not cancelled. */
const CANCELS: ReadonlySet<Alarm['ended']> = new Set(['left', 'hours_over', 'rule_changed']);

export interface AlarmWords {
  readonly title: string;
  readonly text: string;
  readonly at: UpstreamInstant;
}

/** @param fallbackPlace of an alarm without evidence */
export function alarmEvent(alarm: Alarm, { title, text, at }: AlarmWords, fallbackPlace?: LonLat): string {
  const tags = tagsOf(alarm);
  const seen = alarm.evidence.at(-1);
  const isCancelled = CANCELS.has(alarm.ended);
  const callsign = [...tags, title].join(' ');
  return cotEvent(
    {
      uid: alarm.id,
      type: isCancelled ? CANCEL_TYPE : TYPE,
      how: alarm.simulated ? 'm-s' : 'm-r',
      at,
      stale: addMs(at, alarm.state === 'ended' ? BRIEF_MS : OPEN_MS),
      place: seen ? { lon: seen.longitude, lat: seen.latitude } : fallbackPlace,
    },
    contact(callsign),
    alarm.track === null ? '' : link(alarm.track, trackType(KIND_OF_LAYER[alarm.layer])),
    emergency(callsign, isCancelled),
    remarks([tags.length === 0 ? undefined : tags.join(' '), text]),
  );
}

/** Of a notice without alarms: a trial or a summary. */
export function noticeEvent(id: string, { title, text, at }: AlarmWords): string {
  return cotEvent(
    { uid: id, type: TYPE, how: 'm-r', at, stale: addMs(at, BRIEF_MS), place: undefined },
    contact(title),
    emergency(title, false),
    remarks([text]),
  );
}

/** ATAK takes the track that has this uid and type as the one in danger only with `p-p` (EmergencyAlertReceiver). */
function link(uid: string, type: string): string {
  return xmlElement('link', { uid, type, relation: 'p-p' });
}

/** ATAK draws an alarm only with it (EmergencyDetailHandler). */
function emergency(callsign: string, isCancelled: boolean): string {
  const attributes = isCancelled ? { cancel: 'true' } : { type: callsign };
  return xmlElement('emergency', attributes, escapedForXml(callsign));
}
