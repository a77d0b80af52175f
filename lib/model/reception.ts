import { type Bbox, intersectBbox } from '#lib/geo/bbox.ts';
import { addMs, compareInstants, epochMs, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';

/** Reception as the upstream reports it. An upstream that reports none is neither good nor bad. */
export interface Reception {
  readonly state: 'ok' | 'partly' | 'lost' | 'none';
  readonly since: UpstreamInstant | undefined;
  /** How many receivers could deliver the layer. */
  readonly receivers: number;
  /** How many receivers deliver now. */
  readonly receiving: number;
  /** How many of these hear far less than usual. `undefined`: none. */
  readonly deaf?: number | undefined;
  /** Where other services deliver a part of the box: boxes that share no area and fill it. */
  readonly places?: readonly ReceptionOfPlace[] | undefined;
}

interface ReceptionOfPlace extends Omit<Reception, 'places'> {
  readonly bbox: Bbox;
}

/** The reception of a box by place. `undefined` where the upstream reports none. */
export function receptionByPlace(
  whole: Reception | undefined,
  bbox: Bbox,
): readonly { readonly bbox: Bbox; readonly reception: Reception | undefined }[] {
  if (!whole?.places) return [{ bbox, reception: whole }];
  return whole.places.flatMap(({ bbox: place, ...reception }) => {
    const within = intersectBbox(place, bbox);
    return within ? [{ bbox: within, reception }] : [];
  });
}

/** A time with one state of reception, from `from` up to and without `to`. */
export interface ReceptionStretch {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: Reception['state'];
}

/** A time of incomplete reception: records may be missing that no later request can bring. */
export interface ImpairedStretch extends ReceptionStretch {
  readonly state: Exclude<ReceptionStretch['state'], 'ok'>;
}
type Impairment = ImpairedStretch['state'];

/** A part of an area, and its reception over a window. Times without a stretch are not known. */
export interface PlaceReception {
  readonly window: Window;
  /** Stretches within the window that do not overlap. */
  readonly stretches: readonly ReceptionStretch[];
}

/** The worst is first. */
const IMPAIRMENTS: readonly Impairment[] = ['lost', 'none', 'partly'];

export function receptionWithin({ start, end }: Window, stretches: readonly ReceptionStretch[]): ReceptionStretch[] {
  return stretches
    .filter(({ from, to }) => from < end && to > start)
    .map(({ from, to, state }) => ({ from: from < start ? start : from, to: to > end ? end : to, state }));
}

/**
 * The stretches of all places of an area together, in order: `lost` or `none` only while no place has a receiver, `partly`
 * while some have. The result is independent of the order of places, and of how they are grouped.
 */
export function impairedOver(places: readonly PlaceReception[]): readonly ImpairedStretch[] {
  if (!places.some(({ stretches }) => stretches.some(isImpaired))) return [];
  const changes: { readonly at: UpstreamInstant; readonly of: 'places' | Impairment; readonly by: 1 | -1 }[] = [];
  const over = (from: UpstreamInstant, to: UpstreamInstant, of: 'places' | Impairment) =>
    changes.push({ at: from, of, by: 1 }, { at: to, of, by: -1 });
  for (const { window, stretches } of places) {
    over(window.start, window.end, 'places');
    for (const stretch of stretches) if (isImpaired(stretch)) over(stretch.from, stretch.to, stretch.state);
  }
  changes.sort((one, other) => compareInstants(one.at, other.at));
  const now = { places: 0, lost: 0, none: 0, partly: 0 };
  const impaired: { from: UpstreamInstant; to: UpstreamInstant; state: Impairment }[] = [];
  changes.forEach(({ at, of, by }, index) => {
    now[of] += by;
    const to = changes[index + 1]?.at ?? at;
    const state = stateOf(now);
    if (state === undefined || at >= to) return;
    const last = impaired.at(-1);
    if (last?.state === state && last.to >= at) last.to = to;
    else impaired.push({ from: at, to, state });
  });
  return impaired;
}

function stateOf({ places, lost, none, partly }: Readonly<Record<'places' | Impairment, number>>) {
  if (lost + none + partly === 0) return undefined;
  if (lost + none < places) return 'partly';
  return lost > 0 ? 'lost' : 'none';
}

/** The worst state of each minute that has one, by the number of the minute since `start`. */
export function worstOfMinutes(
  start: UpstreamInstant,
  impaired: readonly ImpairedStretch[],
): ReadonlyMap<number, Impairment> {
  const minutes = new Map<number, Impairment>();
  const minuteOf = (at: UpstreamInstant) => (epochMs(at) - epochMs(start)) / MINUTE_MS;
  for (const { from, to, state } of impaired) {
    for (let minute = Math.floor(minuteOf(from)); minute < minuteOf(to); minute++) {
      const known = minutes.get(minute);
      if (known === undefined || IMPAIRMENTS.indexOf(state) < IMPAIRMENTS.indexOf(known)) minutes.set(minute, state);
    }
  }
  return minutes;
}

/** The stretches in whole minutes since the window's start, each as bad as its worst instant. */
export function inWholeMinutes(window: Window, impaired: readonly ImpairedStretch[]): readonly ImpairedStretch[] {
  const minutes = [...worstOfMinutes(window.start, impaired)].map(([minute, state]): PlaceReception => {
    const from = addMs(window.start, minute * MINUTE_MS);
    const end = upstreamInstant(Math.min(epochMs(from) + MINUTE_MS, epochMs(window.end)));
    return { window: { start: from, end }, stretches: [{ from, to: end, state }] };
  });
  return impairedOver(minutes);
}

function isImpaired(stretch: ReceptionStretch): stretch is ImpairedStretch {
  return stretch.state !== 'ok';
}

/** `none` in a part is a gap; a lost receiver is a failure. */
const SEVERITY: Readonly<Record<Reception['state'], number>> = { lost: 3, partly: 2, none: 1, ok: 0 };

/** The worst reception, of equal ones the longest. `undefined` where none is reported. */
export function worstReception(receptions: Iterable<Reception | undefined>): Reception | undefined {
  let worst: Reception | undefined;
  for (const each of receptions) if (each && (!worst || isWorse(each, worst))) worst = each;
  return worst;
}

function isWorse(one: Reception, other: Reception): boolean {
  if (one.state !== other.state) return SEVERITY[one.state] > SEVERITY[other.state];
  return one.since !== undefined && (other.since === undefined || one.since < other.since);
}
