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
}

/** A time with one state of reception, from `from` up to and without `to`. */
export interface ReceptionStretch {
  readonly from: UpstreamInstant;
  readonly to: UpstreamInstant;
  readonly state: Reception['state'];
}

/** A time of incomplete reception: records may be missing that no later request can bring. */
export interface UnheardStretch extends ReceptionStretch {
  readonly state: Exclude<ReceptionStretch['state'], 'ok'>;
}
type UnheardState = UnheardStretch['state'];

/** A part of an area, and its reception over a window. Times without a stretch are not known. */
export interface HeardPlace {
  readonly window: Window;
  /** Stretches within the window that do not overlap. */
  readonly stretches: readonly ReceptionStretch[];
}

/** States without reception, the worst first. */
const UNHEARD: readonly UnheardState[] = ['lost', 'none', 'partly'];

export function receptionWithin({ start, end }: Window, stretches: readonly ReceptionStretch[]): ReceptionStretch[] {
  return stretches
    .filter(({ from, to }) => from < end && to > start)
    .map(({ from, to, state }) => ({ from: from < start ? start : from, to: to > end ? end : to, state }));
}

/**
 * Over all places of an area: `lost` or `none` only while no place has a receiver, `partly` while some have. In order.
 * Independent of the order of places, and of how they are grouped.
 */
export function unheardOver(places: readonly HeardPlace[]): readonly UnheardStretch[] {
  if (!places.some(({ stretches }) => stretches.some(isUnheard))) return [];
  const changes: { readonly at: UpstreamInstant; readonly of: 'places' | UnheardState; readonly by: 1 | -1 }[] = [];
  const over = (from: UpstreamInstant, to: UpstreamInstant, of: 'places' | UnheardState) =>
    changes.push({ at: from, of, by: 1 }, { at: to, of, by: -1 });
  for (const { window, stretches } of places) {
    over(window.start, window.end, 'places');
    for (const stretch of stretches) if (isUnheard(stretch)) over(stretch.from, stretch.to, stretch.state);
  }
  changes.sort((one, other) => compareInstants(one.at, other.at));
  const now = { places: 0, lost: 0, none: 0, partly: 0 };
  const unheard: { from: UpstreamInstant; to: UpstreamInstant; state: UnheardState }[] = [];
  changes.forEach(({ at, of, by }, index) => {
    now[of] += by;
    const to = changes[index + 1]?.at ?? at;
    const state = stateOf(now);
    if (state === undefined || at >= to) return;
    const last = unheard.at(-1);
    if (last?.state === state && last.to >= at) last.to = to;
    else unheard.push({ from: at, to, state });
  });
  return unheard;
}

function stateOf({ places, lost, none, partly }: Readonly<Record<'places' | UnheardState, number>>) {
  if (lost + none + partly === 0) return undefined;
  if (lost + none < places) return 'partly';
  return lost > 0 ? 'lost' : 'none';
}

/** The worst state of each minute that has one, by the number of the minute since `start`. */
export function worstOfMinutes(
  start: UpstreamInstant,
  unheard: readonly UnheardStretch[],
): ReadonlyMap<number, UnheardState> {
  const minutes = new Map<number, UnheardState>();
  const minuteOf = (at: UpstreamInstant) => (epochMs(at) - epochMs(start)) / MINUTE_MS;
  for (const { from, to, state } of unheard) {
    for (let minute = Math.floor(minuteOf(from)); minute < minuteOf(to); minute++) {
      const known = minutes.get(minute);
      if (known === undefined || UNHEARD.indexOf(state) < UNHEARD.indexOf(known)) minutes.set(minute, state);
    }
  }
  return minutes;
}

/** The same in whole minutes since the window's start, each as bad as its worst instant. */
export function inWholeMinutes(window: Window, unheard: readonly UnheardStretch[]): readonly UnheardStretch[] {
  const minutes = [...worstOfMinutes(window.start, unheard)].map(([minute, state]): HeardPlace => {
    const from = addMs(window.start, minute * MINUTE_MS);
    const end = upstreamInstant(Math.min(epochMs(from) + MINUTE_MS, epochMs(window.end)));
    return { window: { start: from, end }, stretches: [{ from, to: end, state }] };
  });
  return unheardOver(minutes);
}

function isUnheard(stretch: ReceptionStretch): stretch is UnheardStretch {
  return stretch.state !== 'ok';
}

/** `none` in a part is a gap; a lost receiver is a failure. */
const SEVERITY: Readonly<Record<Reception['state'], number>> = { lost: 3, partly: 2, none: 1, ok: 0 };

/** Of equal ones the longest. `undefined` where none is reported. */
export function worstReception(receptions: Iterable<Reception | undefined>): Reception | undefined {
  let worst: Reception | undefined;
  for (const each of receptions) if (each && (!worst || isWorse(each, worst))) worst = each;
  return worst;
}

function isWorse(one: Reception, other: Reception): boolean {
  if (one.state !== other.state) return SEVERITY[one.state] > SEVERITY[other.state];
  return one.since !== undefined && (other.since === undefined || one.since < other.since);
}
