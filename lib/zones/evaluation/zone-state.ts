import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import { epochMs } from '#lib/time/instant.ts';
import type { AlarmKind, Suspension } from '../alarm.ts';
import type { CompiledRule, CompiledZones } from './compile-zones.ts';
import type { NearbyTracks } from './nearby-tracks.ts';
import { Tally } from './tally.ts';
import type { WatchedNote } from './transition.ts';

/**
 * The state of the evaluation: tracks, the progress of rules, watched time. Times are epoch milliseconds of observed or
 * upstream time.
 */

export interface Track {
  readonly layer: Layer;
  readonly ref: string;
  position: Position;
  atMs: number;
  /** The index in `ZoneState.places`. */
  readonly slot: number;
  first: LonLat;
  firstMs: number;
  /** The progress that is not at rest, by `progressKey`; pairs are in the maps of both tracks. */
  progress: ReadonlyMap<string, Progress>;
  isNear: boolean;
  isStored: boolean;
  /** `ZoneState.calls` at its last position. */
  call: number;
}

export interface AlarmFacts {
  readonly key: string;
  readonly revision: number;
  readonly kind: AlarmKind;
  readonly openedMs: number;
  /** Whether the alarm is open. After the end a return may reopen it. */
  isOpen: boolean;
  count: number;
  readonly heightUnknown: boolean;
  readonly simulated: boolean;
  readonly test: boolean;
  expected: boolean;
  readonly perhapsSameAs: string | undefined;
  /** When it left; `undefined` once it is back inside. */
  awaySinceMs: number | undefined;
}

/** `held_in` and `held_out` wait for the hold; `ended` may come back. */
export interface Progress {
  readonly rule: string;
  readonly zone: string;
  readonly print: string;
  readonly track: Track;
  readonly other: Track | undefined;
  phase: 'held_in' | 'inside' | 'held_out' | 'ended';
  /** The first position inside, or outside. */
  sinceMs: number;
  /** The time of the last position that agreed with a held phase. */
  seenMs: number;
  /** Positions that agreed fully with a held phase. */
  agreed: number;
  /** The first position of a held phase, or the one before it if that is close in time. */
  first: Position | undefined;
  before: Position | undefined;
  isFirstReceived: boolean;
  /** Hours were checked up to then. */
  checkedMs: number;
  /** The alarm that is open, or that a return reopens. */
  alarm: AlarmFacts | undefined;
  backUntilMs: number;
  unknownSinceMs: number | undefined;
  /** Whether a new reference began near here. */
  hasSuccessor: boolean;
  /** `ZoneState.steps` at its last decision. */
  step: number;
}

export interface Watch {
  readonly zone: string;
  readonly layer: Layer;
  /** Watching is known up to then; NaN without a note. */
  untilMs: number;
  /** Times that were not fully watched, in order. */
  gaps: [fromMs: number, toMs: number][];
  /** The state of each rule of kind `nothing_received`. */
  quiet: Map<string, Quiet>;
  /** The suspended alarms by rule. */
  suspended: Map<string, Suspended>;
  readonly progress: Set<Progress>;
}

export interface Quiet {
  readonly print: string;
  /** Last position inside, or start of watch or hours. */
  sinceMs: number;
  alarm: AlarmFacts | undefined;
  unknownSinceMs: number | undefined;
}

export interface Suspended {
  readonly print: string;
  readonly kind: Suspension;
  readonly alarm: AlarmFacts;
  unknownSinceMs: number | undefined;
  /** When it last refused an alarm, or failed. */
  refusedMs: number;
  countedMs: number;
  /** Alarms that are open, and that would be, of what is followed. */
  inside: number;
  /** Hours were checked up to then. */
  checkedMs: number;
  /** Tracks that are not followed since the rule was counted last; they are lost with a restart. */
  readonly refused: Set<Track>;
}

/** Changed in place by `evaluate`. */
export interface ZoneState {
  readonly tracks: Readonly<Record<Layer, Map<string, Track>>>;
  readonly places: LastPlaces;
  /** The watches by zone and layer. */
  readonly watches: Map<string, Watch>;
  /** Latest instant of any position or note. */
  clockMs: number;
  zones: CompiledZones | undefined;
  /** Counts all progress. */
  readonly tally: Tally;
  /** Rules that threw; tried again with their zone's next revision. */
  readonly failed: Set<CompiledRule>;
  /** Exists only while there are rules about two tracks. */
  nearby: NearbyTracks<Track> | undefined;
  steps: number;
  calls: number;
  clearedMs: number;
}

export function emptyZoneState(): ZoneState {
  return {
    tracks: { rid: new Map(), adsb: new Map() },
    places: new LastPlaces(),
    watches: new Map(),
    clockMs: Number.NEGATIVE_INFINITY,
    zones: undefined,
    tally: new Tally(),
    failed: new Set(),
    nearby: undefined,
    steps: 0,
    calls: 0,
    clearedMs: Number.NEGATIVE_INFINITY,
  };
}

export function watchOf(state: ZoneState, zone: string, layer: Layer): Watch {
  const key = `${zone}|${layer}`;
  let watch = state.watches.get(key);
  if (!watch) {
    watch = { zone, layer, untilMs: Number.NaN, gaps: [], quiet: new Map(), suspended: new Map(), progress: new Set() };
    state.watches.set(key, watch);
  }
  return watch;
}

export function moveTrack(state: ZoneState, track: Track, position: Position): void {
  track.position = position;
  track.atMs = epochMs(position.observedAt);
  state.places.set(track.slot, position);
}

export const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map();

/** @param partner of a pair */
export function progressKey(rule: string, partner: Pick<Track, 'layer' | 'ref'> | undefined): string {
  return partner ? `${rule}|${partner.layer}|${partner.ref}` : rule;
}

export function addProgress(state: ZoneState, progress: Progress): void {
  const { track, other, rule, zone } = progress;
  keep(track, progressKey(rule, other), progress);
  if (other) keep(other, progressKey(rule, track), progress);
  watchOf(state, zone, track.layer).progress.add(progress);
  state.tally.add(progress);
}

function keep(track: Track, key: string, progress: Progress): void {
  if (track.progress === NO_PROGRESS) track.progress = new Map();
  (track.progress as Map<string, Progress>).set(key, progress);
}

export function removeProgress(state: ZoneState, progress: Progress): void {
  const { track, other, rule, zone } = progress;
  drop(track, progressKey(rule, other));
  if (other) drop(other, progressKey(rule, track));
  watchOf(state, zone, track.layer).progress.delete(progress);
  state.tally.remove(progress);
}

function drop(track: Track, key: string): void {
  (track.progress as Map<string, Progress>).delete(key);
  if (track.progress.size === 0) track.progress = NO_PROGRESS;
}

/** @returns the earlier time of both for a pair */
export function lastReceivedMs({ track, other }: Progress): number {
  return other ? Math.min(track.atMs, other.atMs) : track.atMs;
}

export interface Stretch {
  readonly watch: Watch;
  readonly fromMs: number;
  readonly toMs: number;
  readonly isWatched: boolean;
  readonly reason: WatchedNote['reason'];
}

/** Keeps what is known already, except that time may turn out not to have been watched. */
export function extendWatch(watch: Watch, fromMs: number, toMs: number, isWatched: boolean): void {
  if (Number.isNaN(watch.untilMs)) {
    watch.untilMs = fromMs;
    addGap(watch, 0, fromMs);
  }
  if (fromMs > watch.untilMs) addGap(watch, watch.untilMs, fromMs);
  if (!isWatched) addGap(watch, fromMs, toMs);
  watch.untilMs = Math.max(watch.untilMs, toMs);
}

function addGap(watch: Watch, fromMs: number, toMs: number): void {
  const { gaps } = watch;
  const last = gaps.at(-1);
  if (!last || last[1] < fromMs) gaps.push([fromMs, toMs]);
  else if (last[0] <= fromMs) last[1] = Math.max(last[1], toMs);
  else {
    const over = gaps.filter(([start, end]) => start <= toMs && end >= fromMs);
    const joined: [number, number] = [
      Math.min(fromMs, ...over.map(([start]) => start)),
      Math.max(toMs, ...over.map(([, end]) => end)),
    ];
    watch.gaps = [...gaps.filter((gap) => !over.includes(gap)), joined].sort(([one], [other]) => one - other);
  }
}

/** The fully watched part of a time. */
export function watchedMs({ gaps }: Watch, fromMs: number, toMs: number): number {
  let watched = toMs - fromMs;
  for (let index = gaps.length - 1; index >= 0; index--) {
    const [start, end] = gaps[index] as [number, number];
    if (end <= fromMs) break;
    watched -= Math.max(0, Math.min(end, toMs) - Math.max(start, fromMs));
  }
  return watched;
}

/** Since when the zone is not fully watched; `undefined` if it is at that time. */
export function unwatchedSince({ gaps }: Watch, atMs: number): number | undefined {
  const gap = gaps.findLast(([fromMs]) => fromMs < atMs);
  return gap && gap[1] >= atMs ? gap[0] : undefined;
}

/** Each place has longitude, latitude and time. */
const VALUES = 3;

/** The last place of each track, in one array: objects cost two to four reads of distant memory. */
class LastPlaces {
  #values = new Float64Array(VALUES * 1024);
  readonly #free: number[] = [];
  #count = 0;

  /** @returns its slot */
  add(position: Position): number {
    const slot = this.#free.pop() ?? this.#count++;
    if (VALUES * this.#count > this.#values.length) {
      const values = new Float64Array(2 * this.#values.length);
      values.set(this.#values);
      this.#values = values;
    }
    this.set(slot, position);
    return slot;
  }

  set(slot: number, { lon, lat, observedAt }: Position): void {
    const at = VALUES * slot;
    this.#values[at] = lon;
    this.#values[at + 1] = lat;
    this.#values[at + 2] = epochMs(observedAt);
  }

  lon(slot: number): number {
    return this.#values[VALUES * slot] as number;
  }

  lat(slot: number): number {
    return this.#values[VALUES * slot + 1] as number;
  }

  atMs(slot: number): number {
    return this.#values[VALUES * slot + 2] as number;
  }

  delete(slot: number): void {
    this.#free.push(slot);
  }
}
