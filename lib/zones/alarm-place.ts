import { nearestOnEdge } from '#lib/geo/edges.ts';
import { bearingDeg, distanceM, type LonLat } from '#lib/geo/great-circle.ts';
import { bearingText, compassText, nearDistanceText, wholeText } from '#lib/model/measure-text.ts';
import { LENGTH_UNIT, lengthIn, type UnitSystem } from '#lib/model/units.ts';
import { groundOf } from './ground.ts';
import type { HeightField } from './height-field.ts';
import type { ZoneContent } from './zone.ts';

/**
 * Where and how high an alarm was raised: one set of values and words for its row, each notice and webhooks. A height
 * always has its field's name, and one that was not reported stays so.
 */

type Heights = Readonly<Record<HeightField, number | null>>;
interface Place {
  readonly longitude: number;
  readonly latitude: number;
}

interface Raised<Position> {
  readonly track: string | null;
  /** Positions that decided, in order of time. */
  readonly evidence: readonly Position[];
}

/** The latest position that decided, of the track that the alarm is about. */
export function raisedAt<Position extends { readonly public_track_id: string }>({
  track,
  evidence,
}: Raised<Position>): Position | undefined {
  return evidence.findLast(({ public_track_id }) => public_track_id === track) ?? evidence.at(-1);
}

export interface AlarmPlace {
  readonly distance_m: number;
  /** From there to the track, in degrees from true north; null for an edge, or where both are one place. */
  readonly bearing_deg: number | null;
  /** The place it is measured from: the zone's landmark, the centre of a circle, or the nearest edge. */
  readonly from: 'landmark' | 'centre' | 'edge';
  /** Of the landmark. */
  readonly name: string | null;
  /** Whether the track was in the zone, at any height. */
  readonly inside: boolean;
}

/** Below this distance there is no direction: a position is no more exact. */
const SAME_PLACE_M = 10;

/** @param zone as it is now: its landmark, or its ground where it has none */
export function alarmPlace(
  { longitude: lon, latitude: lat }: Place,
  zone: Pick<ZoneContent, 'shape' | 'landmark'>,
): AlarmPlace {
  const { shape, landmark } = zone;
  const at = { lon, lat };
  const ground = groundOf(shape);
  const inside = ground.contains(lon, lat);
  const edge = { distance_m: ground.edgeM(at), bearing_deg: null, from: 'edge', name: null, inside } as const;
  const line = landmark?.line ?? (shape.type === 'Circle' ? [shape.centre] : []);
  const [start, end = start] = line.map(([lon, lat]): LonLat => ({ lon, lat }));
  if (!start || !end) return edge;
  const nearest = nearestOnEdge(start, end, at);
  const distance = distanceM(nearest, at);
  return {
    distance_m: distance,
    bearing_deg: distance < SAME_PLACE_M ? null : bearingDeg(nearest, at),
    from: landmark ? 'landmark' : 'centre',
    name: landmark?.name ?? null,
    inside,
  };
}

/** Such as `2.4 km SE of 14/32`. @param isExact with the bearing in degrees */
export function placeText(place: AlarmPlace, units: UnitSystem, isExact = false): string {
  const { distance_m, bearing_deg, from, name, inside } = place;
  const distance = nearDistanceText(units, distance_m);
  if (from === 'edge') return `${distance} ${inside ? 'inside' : 'outside'} the edge`;
  const there = name ?? 'the centre';
  if (bearing_deg === null) return `at ${there}`;
  return `${distance} ${compassText(bearing_deg)} of ${there}${isExact ? ` (${bearingText(bearing_deg)} true)` : ''}`;
}

/** Such as `71 m above ground`: the height above ground where it is known, or else the altitude. */
export function heightText({ height_agl_m, altitude_m }: Heights, units: UnitSystem): string {
  const whole = (metres: number) => `${wholeText(lengthIn(units, metres))} ${LENGTH_UNIT[units]}`;
  if (height_agl_m !== null) return `${whole(height_agl_m)} above ground`;
  return altitude_m === null ? 'height not reported' : `altitude ${whole(altitude_m)}, datum not stated`;
}

/** Height and place of an alarm in words. @param zone `undefined` while it is not known */
export function raisedTexts<Position extends Place & Heights & { readonly public_track_id: string }>(
  alarm: Raised<Position>,
  zone: Pick<ZoneContent, 'shape' | 'landmark'> | undefined,
  units: UnitSystem,
): readonly string[] {
  const record = raisedAt(alarm);
  if (!record) return [];
  return [heightText(record, units), ...(zone ? [placeText(alarmPlace(record, zone), units)] : [])];
}
