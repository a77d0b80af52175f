import type { LonLat } from '#lib/geo/great-circle.ts';

/** A fixed place, or a track: wherever its last received position is. */
export type Anchor =
  | { readonly place: LonLat; readonly ref?: undefined }
  | { readonly ref: string; readonly place?: undefined };

/** An operator's measurement. Client state: in no link, in no storage. */
export interface MeasuringState {
  /** The tool for clicks on the map; `undefined`: they select. */
  readonly tool: 'measure' | 'rings' | undefined;
  /** The ends of the legs, in order. */
  readonly points: readonly Anchor[];
  /** Centres of range rings: at most one place and one track. */
  readonly ringPlace: LonLat | undefined;
  readonly ringRef: string | undefined;
}

export const NOTHING_MEASURED: MeasuringState = {
  tool: undefined,
  points: [],
  ringPlace: undefined,
  ringRef: undefined,
};

/** More legs than this are a drawing. */
export const MAX_POINTS = 50;

export function startMeasuring(state: MeasuringState, first?: Anchor): MeasuringState {
  return { ...state, tool: 'measure', points: first ? [first] : [] };
}

/** The next anchor becomes a centre of range rings. */
export function startRings(state: MeasuringState): MeasuringState {
  return { ...ended(state), tool: 'rings' };
}

export function ringsAround(state: MeasuringState, { place, ref }: Anchor): MeasuringState {
  return place ? { ...state, ringPlace: place } : { ...state, ringRef: ref };
}

/** Without effect if no tool is active, or if it is the last point again, as with a double click. */
export function placed(state: MeasuringState, anchor: Anchor): MeasuringState {
  if (state.tool === 'rings') return { ...ringsAround(state, anchor), tool: undefined };
  if (state.tool === undefined || state.points.length >= MAX_POINTS) return state;
  const last = state.points.at(-1);
  return last && isSame(last, anchor) ? state : { ...state, points: [...state.points, anchor] };
}

/** Only while measuring: a finished measurement is not changed. */
export function withoutLast(state: MeasuringState): MeasuringState {
  if (state.tool !== 'measure' || state.points.length === 0) return state;
  return { ...state, points: state.points.slice(0, -1) };
}

/** Puts the tool away. The measurement stays, unless it is a single point. */
export function ended(state: MeasuringState): MeasuringState {
  if (state.tool === undefined) return state;
  return { ...state, tool: undefined, points: state.points.length > 1 ? state.points : [] };
}

/** The key M: begins, ends, and begins again. */
export function measureToggled(state: MeasuringState): MeasuringState {
  return state.tool === 'measure' ? ended(state) : startMeasuring(state);
}

function isSame(one: Anchor, other: Anchor): boolean {
  if (one.place && other.place) return one.place.lon === other.place.lon && one.place.lat === other.place.lat;
  return one.ref !== undefined && one.ref === other.ref;
}
