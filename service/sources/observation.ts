import type { Layer } from '#lib/contract/operation.ts';
import type { ReceptionState } from '#lib/contract/reception.ts';
import type { WireField, WirePosition } from '#lib/contract/wire-position.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

interface ReportedField {
  readonly wire: WireField;
  /**
   * Remote ID's steps (0.5 m, 0.25 m/s, 1°) are multiples; feet and knots are rounded by at most 5 mm and 5 mm/s. An
   * aircraft's course comes from whole knots, so 0.1° is fine enough.
   */
  readonly stepsPerUnit?: number;
}

/** The past stores them in this order: a new field comes last. */
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
/** Null is "not reported", never 0. */
type Reported = { readonly [Name in ReportedName]: WirePosition[Fields[Name]['wire']] };

export const REPORTED_NAMES = Object.keys(REPORTED_FIELDS) as readonly ReportedName[];
const isNumber = (name: ReportedName): name is ReportedNumber => 'stepsPerUnit' in REPORTED_FIELDS[name];
const isLabel = (name: ReportedName): name is ReportedLabel => !isNumber(name);
export const REPORTED_NUMBERS = REPORTED_NAMES.filter(isNumber);
export const REPORTED_LABELS = REPORTED_NAMES.filter(isLabel);

/** WGS84 degrees, metres, metres per second, degrees clockwise from north. */
export interface Observation extends Reported {
  /** It never leaves the service. */
  readonly sourceId: string;
  readonly layer: Layer;
  readonly observedAt: UpstreamInstant;
  readonly lon: number;
  readonly lat: number;
  readonly simulated: boolean;
  readonly testBroadcast: boolean;
  /** The feed of another service that sent it, '' if it is not known any more. Own receivers have none. */
  readonly relayedBy?: string | undefined;
  /** The own receivers sent it, and another service has the same aircraft or drone. */
  readonly isElsewhereToo?: true | undefined;
}

export const NOTHING_REPORTED = Object.fromEntries(REPORTED_NAMES.map((name) => [name, null])) as Readonly<
  Record<ReportedName, null>
>;

/** Observations sorted by time; `more` is true if there are more than requested. */
export interface PastObservations {
  readonly observations: Observation[];
  readonly more: boolean;
  /** False if some of it could not be read. Default true. */
  readonly isWhole?: boolean;
}

/** Whether the receivers of a layer deliver now. */
export interface ReceptionNow {
  readonly state: ReceptionState;
  readonly since: UpstreamInstant | undefined;
  /** How many receivers could deliver. */
  readonly receivers: number;
  /** How many of the receivers deliver now. */
  readonly receiving: number;
  /** Without other services, if it counts their receivers too. */
  readonly own?: ReceptionNow | undefined;
  /** How many of these hear far less than usual. `undefined`: none. */
  readonly deaf?: number | undefined;
  /** Where other services deliver a part of the box: boxes that share no area and fill it. */
  readonly places?: readonly (ReceptionNow & { readonly bbox: Bbox })[] | undefined;
}

/** A half-open time with one state of reception. */
export interface ReceptionSpan {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: ReceptionState;
}

/** Answers about the past never change, once it is final. */
export interface Source {
  /**
   * The latest observation at or before `now` of every track whose position is in the box (west < east) and not expired
   * (`now < observedAt + ttlMs(layer)`). Any order.
   */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[];
  /**
   * The observations in the box with `window.start <= observedAt < window.end`, sorted by time; `more` is true if there
   * are more than `maxCount`.
   */
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): PastObservations | Promise<PastObservations>;
  historyTimes?(
    layer: Layer,
    bbox: Bbox,
    window: Window,
    maxCount: number,
  ): UpstreamInstant[] | Promise<UpstreamInstant[]>;
  /** Called when a layer's live picture has changed. A source without it may change at any time. */
  onChange?(listener: (layer: Layer) => void): void;
  /** The time since which everything is complete; undefined if nothing was deleted. */
  keptSince?(): UpstreamInstant | undefined;
  /**
   * Reception by the receivers that could deliver the layer in the box. A source without receivers has none to lose.
   */
  reception?(layer: Layer, bbox: Bbox, now: UpstreamInstant): ReceptionNow;
  /** The stretches of reception within the window, in order. Times without a stretch are not known. */
  pastReception?(
    layer: Layer,
    bbox: Bbox,
    window: Window,
  ): readonly ReceptionSpan[] | Promise<readonly ReceptionSpan[]>;
}

/** A source whose answers depend on the arguments alone. */
export interface ComputedSource extends Source {
  history(layer: Layer, bbox: Bbox, window: Window, maxCount: number): PastObservations;
  historyTimes?(layer: Layer, bbox: Bbox, window: Window, maxCount: number): UpstreamInstant[];
}

/** A position is live for so long: `stale_after` is `observed_at` plus this. */
export function ttlMs(layer: Layer): number {
  return layer === 'adsb' ? 60 * SECOND_MS : 45 * SECOND_MS;
}

/** The times of what `source.history` returns for the same arguments. */
export async function historyTimes(
  source: Source,
  layer: Layer,
  bbox: Bbox,
  window: Window,
  maxCount: number,
): Promise<UpstreamInstant[]> {
  if (source.historyTimes) return source.historyTimes(layer, bbox, window, maxCount);
  const { observations } = await source.history(layer, bbox, window, maxCount);
  return observations.map(({ observedAt }) => observedAt);
}
