import type { LonLat } from '#lib/geo/great-circle.ts';

export type Anchor =
  | { readonly place: LonLat; readonly ref?: undefined }
  | { readonly ref: string; readonly place?: undefined };

/** Measurements are in no link and in no storage. */
export interface MeasuringState {
  readonly tool: 'measure' | 'rings' | undefined;
  readonly points: readonly Anchor[];
  /** Rings are around at most one place and one track. */
  readonly ringPlace: LonLat | undefined;
  readonly ringRef: string | undefined;
}

export const NOTHING_MEASURED: MeasuringState = {
  tool: undefined,
  points: [],
  ringPlace: undefined,
  ringRef: undefined,
};

export const MAX_POINTS = 50;

export function startMeasuring(state: MeasuringState, first?: Anchor): MeasuringState {
  return { ...state, tool: 'measure', points: first ? [first] : [] };
}

export function startRings(state: MeasuringState): MeasuringState {
  return { ...ended(state), tool: 'rings' };
}

export function ringsAround(state: MeasuringState, { place, ref }: Anchor): MeasuringState {
  return place ? { ...state, ringPlace: place } : { ...state, ringRef: ref };
}

/** Places a point, or rings. It has no effect without a tool, or on the last point again, as with a double click. */
export function placed(state: MeasuringState, anchor: Anchor): MeasuringState {
  if (state.tool === 'rings') return { ...ringsAround(state, anchor), tool: undefined };
  if (state.tool === undefined || state.points.length >= MAX_POINTS) return state;
  const last = state.points.at(-1);
  return last && isSame(last, anchor) ? state : { ...state, points: [...state.points, anchor] };
}

export function withoutLast(state: MeasuringState): MeasuringState {
  if (state.tool !== 'measure' || state.points.length === 0) return state;
  return { ...state, points: state.points.slice(0, -1) };
}

/** Keeps the measurement, unless it is a single point. */
export function ended(state: MeasuringState): MeasuringState {
  if (state.tool === undefined) return state;
  return { ...state, tool: undefined, points: state.points.length > 1 ? state.points : [] };
}

export function measureToggled(state: MeasuringState): MeasuringState {
  return state.tool === 'measure' ? ended(state) : startMeasuring(state);
}

function isSame(one: Anchor, other: Anchor): boolean {
  if (one.place && other.place) return one.place.lon === other.place.lon && one.place.lat === other.place.lat;
  return one.ref !== undefined && one.ref === other.ref;
}
