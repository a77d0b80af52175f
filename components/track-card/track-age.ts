import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { AGEING } from '#lib/model/ageing.ts';
import { durationText } from '#lib/model/duration-text.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';

export interface TrackAge {
  /** `hidden`: the layer is off or the view is elsewhere; the track may go on. */
  readonly state: 'current' | 'expired' | 'gone' | 'hidden';
  /** Fraction of the time to live that is left, 1 to 0; `undefined` once expired. */
  readonly left: number | undefined;
  readonly text: string;
  /** The text below a head that says the age. */
  readonly rest: string;
}

/** Causes that remove a still received track from the picture. */
export interface ShownPlace {
  readonly layerOn: boolean;
  readonly covered: readonly Bbox[];
}

interface KnownTrack {
  readonly position: Position;
  readonly expiresAt: UpstreamInstant;
  readonly gone: boolean;
}

export function trackAge({ position, expiresAt, gone }: KnownTrack, now: UpstreamInstant, place: ShownPlace): TrackAge {
  const removedAt = addMs(expiresAt, AGEING[position.kind].expiredMs);
  if (gone) {
    const { state, text } = goneState(position, place);
    return { state, left: undefined, text, rest: text };
  }
  if (now >= expiresAt) {
    const [receivedAgo, expiredAgo, removedIn] = [
      msBetween(position.observedAt, now),
      msBetween(expiresAt, now),
      msBetween(now, removedAt),
    ].map(durationText);
    const rest = `Expired ${expiredAgo} ago, removed in ${removedIn}`;
    return { state: 'expired', left: undefined, ...afterAge(receivedAgo, rest) };
  }
  const ttlMs = msBetween(position.observedAt, expiresAt);
  return {
    state: 'current',
    left: ttlMs > 0 ? Math.min(1, msBetween(now, expiresAt) / ttlMs) : 0,
    ...afterAge(
      durationText(msBetween(position.observedAt, now)),
      `Expires in ${durationText(msBetween(now, expiresAt))}`,
    ),
  };
}

function afterAge(age: string | undefined, rest: string): Pick<TrackAge, 'text' | 'rest'> {
  return { text: `Received ${age} ago · ${rest.charAt(0).toLowerCase()}${rest.slice(1)}`, rest };
}

function goneState(position: Position, { layerOn, covered }: ShownPlace): Pick<TrackAge, 'state' | 'text'> {
  if (!layerOn) return { state: 'hidden', text: 'No longer shown: its layer is off' };
  if (covered.length > 0 && !covered.some((box) => bboxContains(box, position.lon, position.lat))) {
    return { state: 'hidden', text: 'Outside the view: not being updated' };
  }
  return { state: 'gone', text: 'No longer received: this track ended or may have been renumbered' };
}
