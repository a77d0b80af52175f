import type { Layer } from '#lib/contract/operation.ts';
import type { WireField, WirePosition } from '#lib/contract/wire-position.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

interface ReportedField {
  /** Its name in the contract, which defines its type. */
  readonly wire: WireField;
  /**
   * Of a number: the steps in a unit to which it is stored. Remote ID's steps (0.5 m, 0.25 m/s, 1°) are whole numbers of these; feet and
   * knots are rounded by at most 5 mm and 5 mm/s. An aircraft's course comes from whole knots, so that 0.1° is finer than it is known.
   */
  readonly stepsPerUnit?: number;
}

/** Fields that a source may report, in the order in which the past stores them: a new one comes last. */
export const REPORTED_FIELDS = {
  altitudeM: { wire: 'altitude_m', stepsPerUnit: 100 },
  heightAglM: { wire: 'height_agl_m', stepsPerUnit: 100 },
  speedMps: { wire: 'speed_mps', stepsPerUnit: 100 },
  headingDeg: { wire: 'heading_deg', stepsPerUnit: 10 },
  confidenceScore: { wire: 'confidence_score', stepsPerUnit: 1000 },
  receiverCount: { wire: 'receiver_count', stepsPerUnit: 1 },
  confidence: { wire: 'confidence' },
  emergencyState: { wire: 'emergency_state' },
} as const satisfies Record<string, ReportedField>;

type Fields = typeof REPORTED_FIELDS;
export type ReportedName = keyof Fields;
export type ReportedNumber = {
  [Name in ReportedName]: Fields[Name] extends { stepsPerUnit: number } ? Name : never;
}[ReportedName];
type ReportedLabel = Exclude<ReportedName, ReportedNumber>;
/** Reported values of a track; null is "not reported", never 0. */
type Reported = { readonly [Name in ReportedName]: WirePosition[Fields[Name]['wire']] };

export const REPORTED_NAMES = Object.keys(REPORTED_FIELDS) as readonly ReportedName[];
const isNumber = (name: ReportedName): name is ReportedNumber => 'stepsPerUnit' in REPORTED_FIELDS[name];
const isLabel = (name: ReportedName): name is ReportedLabel => !isNumber(name);
export const REPORTED_NUMBERS = REPORTED_NAMES.filter(isNumber);
export const REPORTED_LABELS = REPORTED_NAMES.filter(isLabel);

/**
 * One received position as a source gives it. Units are the contract's: WGS84 degrees, metres, metres per second,
 * degrees clockwise from north.
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
export const NOTHING_REPORTED = Object.fromEntries(REPORTED_NAMES.map((name) => [name, null])) as Readonly<
  Record<ReportedName, null>
>;

/** A source's observations of the past, sorted by time; `more` is true if there are more than requested. */
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
  /** Calls back whenever the live picture of a layer has changed. A source without it may change at any time. */
  onChange?(listener: (layer: Layer) => void): void;
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
