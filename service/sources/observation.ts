import type { Layer } from '#lib/contract/operation.ts';
import type { WireField, WirePosition } from '#lib/contract/wire-position.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** Fields that a source may report, with their names in the contract, which defines their types. */
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
 * One received position as a source gives it. Units are the contract's: WGS84 degrees, metres, metres per second,
 * degrees clockwise from north. null is "not reported", never 0.
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

/** The reported fields of a source that knows positions only. */
export const NOTHING_REPORTED = Object.fromEntries(
  Object.keys(REPORTED_FIELDS).map((name) => [name, null]),
) as Readonly<Record<ReportedName, null>>;

/** What a source holds of the past, sorted by time; `more` is true if there is more than was asked for. */
export interface PastObservations {
  readonly observations: Observation[];
  readonly more: boolean;
  /** False if some of what was recorded in this box and window can't be read any more. Default true. */
  readonly isWhole?: boolean;
}

/** Where positions come from. The same request about the past always gets the same answer, once the past is final. */
export interface Source {
  /**
   * The latest observation at or before `now` of every track of the layer whose observation has not expired
   * (`now < observedAt + ttlMs(layer)`) and whose latest position lies in the box (west < east). Any order.
   */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[];
  /**
   * Observations of the layer in the box with `window.start <= observedAt < window.end`, sorted by time, at most
   * `maxCount`; `more` is true if there are others.
   */
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): PastObservations | Promise<PastObservations>;
  /** The times of what `history` returns for the same arguments, if the source can find them at a lower cost. */
  historyTimes?(
    layer: Layer,
    bbox: Bbox,
    window: Window,
    maxCount: number,
  ): UpstreamInstant[] | Promise<UpstreamInstant[]>;
  /** Since when everything that was recorded is there; undefined if nothing was deleted. */
  keptSince?(): UpstreamInstant | undefined;
}

/**
 * A source that computes its answers: a pure function of its arguments. So the past hour exists from the first second,
 * and nothing needs to be stored.
 */
export interface ComputedSource extends Source {
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): PastObservations;
  historyTimes?(layer: Layer, bbox: Bbox, window: Window, maxCount: number): UpstreamInstant[];
}

/** How long a live position is valid after its observation: `stale_after` is `observed_at` plus this. */
export function ttlMs(layer: Layer): number {
  return layer === 'adsb' ? 60 * SECOND_MS : 45 * SECOND_MS;
}
