import type { Layer } from '#lib/contract/operation.ts';
import type { WireField, WirePosition } from '#lib/contract/wire-position.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** What a source reports where it can: the field here, and its name in the contract, which has its type. */
export const REPORTED_FIELDS = {
  altitudeM: 'altitude_m',
  heightAglM: 'height_agl_m',
  speedMps: 'speed_mps',
  headingDeg: 'heading_deg',
  confidence: 'confidence',
  confidenceScore: 'confidence_score',
  receiverCount: 'receiver_count',
  emergencyState: 'emergency_state',
} as const satisfies Record<string, WireField>;

export type ReportedName = keyof typeof REPORTED_FIELDS;
type Reported = { readonly [Name in ReportedName]: WirePosition[(typeof REPORTED_FIELDS)[Name]] };

/**
 * One received position as a source gives it. Units are the contract's: WGS84 degrees, metres, metres per second, degrees
 * clockwise from north. null is "not reported", never 0.
 */
export interface Observation extends Reported {
  /** The source's own id. It never leaves the service: public references are made from it. */
  readonly sourceId: string;
  readonly layer: Layer;
  readonly observedAt: UpstreamInstant;
  readonly lon: number;
  readonly lat: number;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
}

/** Of a source that reports nothing but places; others say what else they report. */
export const NOTHING_REPORTED = Object.fromEntries(
  Object.keys(REPORTED_FIELDS).map((name) => [name, null]),
) as Readonly<Record<ReportedName, null>>;

/**
 * Where positions come from. A source is asked for a moment or a window and answers the same for the same question: the
 * past hour exists from the first second, and nothing needs to be kept.
 */
export interface Source {
  /**
   * The latest observation at or before `now` of every track of the layer whose observation has not expired
   * (`now < observedAt + ttlMs(layer)`) and whose latest position lies in the box (west < east). Any order.
   */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[];
  /**
   * Observations of the layer in the box with `window.start <= observedAt < window.end`, sorted by time, at most `atMost`;
   * `more` is true where there were others.
   */
  history(layer: Layer, bbox: Bbox, window: Window, atMost: number): { observations: Observation[]; more: boolean };
  /** The times of what `history` gives for the same question, where a source finds them for less. */
  historyTimes?(layer: Layer, bbox: Bbox, window: Window, atMost: number): UpstreamInstant[];
}

/** How long a live projection lasts after its observation: what `stale_after` is made from. */
export function ttlMs(layer: Layer): number {
  return layer === 'adsb' ? 60 * SECOND_MS : 45 * SECOND_MS;
}
