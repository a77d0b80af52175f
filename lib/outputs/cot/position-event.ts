import { expiryMs } from '#lib/model/ageing.ts';
import { confidenceText } from '#lib/model/confidence.ts';
import { emergencyWords } from '#lib/model/emergency.ts';
import { KIND_TEXT } from '#lib/model/layer-kind.ts';
import type { Position, TrackKind } from '#lib/model/position.ts';
import { shortReference } from '#lib/model/short-reference.ts';
import { epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { contact, cotEvent, decimal, oneLine, remarks } from './cot-event.ts';
import { xmlElement } from './xml-element.ts';

/**
 * Neutral, and no more than the contract states: docs/outputs.md gives the reasons. Of the types of drones only
 * `A-C-F-q` is not military.
 */
const TYPE: Readonly<Record<TrackKind, string>> = { aircraft: 'a-n-A', drone: 'a-n-A-C-F-q' };

export function trackType(kind: TrackKind): string {
  return TYPE[kind];
}

export function staleAt({ observedAt, staleAfter, kind }: Position): UpstreamInstant {
  const staleAfterMs = staleAfter === undefined ? Number.NaN : epochMs(staleAfter);
  return upstreamInstant(expiryMs(epochMs(observedAt), staleAfterMs, kind));
}

/** The uid is the reference: when that rotates, the track at the receiver ends and another begins. */
export function positionEvent(position: Position): string {
  const { ref, kind, simulated, testBroadcast } = position;
  const tags = [...(simulated ? ['SIM'] : []), ...(testBroadcast ? ['TEST'] : [])];
  const track = trackElement(position);
  return cotEvent(
    {
      uid: ref,
      type: TYPE[kind],
      how: simulated ? 'm-s' : 'm-r',
      at: position.observedAt,
      stale: staleAt(position),
      place: position,
    },
    contact(oneLine([...tags, KIND_TEXT[kind], shortReference(ref)].join(' '))),
    track,
    remarks(remarkLines(position, tags, track !== '')),
  );
}

/** The format requires both attributes, and a course below 360 (MITRE case 06-0358). */
function trackElement({ headingDeg, speedMps }: Position): string {
  if (headingDeg === undefined || speedMps === undefined || speedMps < 0) return '';
  const course = (Math.round(headingDeg * 10) % 3600) / 10;
  return xmlElement('track', { course: decimal(course < 0 ? course + 360 : course, 1), speed: decimal(speedMps, 2) });
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
