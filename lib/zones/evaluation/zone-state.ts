import type { LonLat } from '#lib/geo/great-circle.ts';
import type { Layer, Position } from '#lib/model/position.ts';
import type { AlarmKind } from '../alarm.ts';
import type { CompiledZones } from './compile-zones.ts';
import type { NearbyTracks } from './nearby-tracks.ts';

/** Times are epoch milliseconds of observed or upstream time. */

export interface Track {
  readonly layer: Layer;
  readonly ref: string;
  /** The last position received. */
  position: Position;
  atMs: number;
  /** Where and when this reference was received first. */
  first: LonLat;
  firstMs: number;
  /** Progress of rules that are not at rest; that of a pair is in the lists of both tracks. */
  progress: Progress[];
  /** Its last position is near a zone. */
  isNear: boolean;
  /** It has a stored row. */
  isStored: boolean;
  /** Number of the last call that it had a position in. */
  call: number;
}

/** Facts that stay the same from an alarm's opening on, and its count. */
export interface AlarmFacts {
  readonly key: string;
  readonly revision: number;
  readonly kind: AlarmKind;
  readonly openedMs: number;
  /** False once it has ended: a return may open it again. */
  isOpen: boolean;
  count: number;
  readonly heightUnknown: boolean;
  readonly simulated: boolean;
  readonly test: boolean;
  expected: boolean;
  readonly perhapsSameAs: string | undefined;
}

/**
 * How far a rule is with a track, or with two. `held_in`: inside, until the hold is over. `inside`: it was decided that it is inside.
 * `held_out`: outside, until the hold is over. `ended`: it may come back.
 */
export interface Progress {
  readonly rule: string;
  readonly zone: string;
  readonly print: string;
  readonly track: Track;
  readonly other: Track | undefined;
  phase: 'held_in' | 'inside' | 'held_out' | 'ended';
  /** When the phase began: the first position inside, or outside. */
  sinceMs: number;
  /** The last position that agreed with a held phase. */
  seenMs: number;
  /** Positions of a held phase that agreed fully. */
  agreed: number;
  /** The first position of a held phase, and the one before it if that is close in time. */
  first: Position | undefined;
  before: Position | undefined;
  /** How a held entry began. */
  isFirstReceived: boolean;
  /** The rule's hours were last known to go on then. */
  checkedMs: number;
  /** The alarm that is open, or that a return would open again. */
  alarm: AlarmFacts | undefined;
  /** Until when a return opens `alarm` again. */
  backUntilMs: number;
  unknownSinceMs: number | undefined;
  /** A new reference was received first near here. */
  hasSuccessor: boolean;
  /** Number of the last position that it was decided by. */
  step: number;
}

/** How far one layer of a zone has been watched. */
export interface Watch {
  readonly zone: string;
  readonly layer: Layer;
  /** Watched, or known not to be, until then. */
  untilMs: number;
  /** Stretches that were not fully watched, in order, as far back as a silence may reach. */
  gaps: [fromMs: number, toMs: number][];
  /** Of `nothing_received`, by rule. */
  quiet: Map<string, Quiet>;
  readonly progress: Set<Progress>;
}

export interface Quiet {
  readonly print: string;
  /** The last position received in the zone, or the beginning of the watch or of the hours. */
  sinceMs: number;
  alarm: AlarmFacts | undefined;
  unknownSinceMs: number | undefined;
}

/** The memory of the evaluation, changed in place by `evaluate`. */
export interface ZoneState {
  readonly tracks: Readonly<Record<Layer, Map<string, Track>>>;
  /** By zone and layer. */
  readonly watches: Map<string, Watch>;
  /** The latest instant of any position or note. */
  clockMs: number;
  /** The zones of the last evaluation. */
  zones: CompiledZones | undefined;
  /** By place; only while there are rules about two tracks. */
  nearby: NearbyTracks<Track> | undefined;
  steps: number;
  calls: number;
  clearedMs: number;
}

export function emptyZoneState(): ZoneState {
  return {
    tracks: { rid: new Map(), adsb: new Map() },
    watches: new Map(),
    clockMs: Number.NEGATIVE_INFINITY,
    zones: undefined,
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
    watch = { zone, layer, untilMs: Number.NaN, gaps: [], quiet: new Map(), progress: new Set() };
    state.watches.set(key, watch);
  }
  return watch;
}

export function addProgress(state: ZoneState, progress: Progress): void {
  progress.track.progress.push(progress);
  progress.other?.progress.push(progress);
  watchOf(state, progress.zone, progress.track.layer).progress.add(progress);
}

export function removeProgress(state: ZoneState, progress: Progress): void {
  for (const track of [progress.track, progress.other]) {
    if (track) track.progress = track.progress.filter((other) => other !== progress);
  }
  watchOf(state, progress.zone, progress.track.layer).progress.delete(progress);
}

/** The last time that both of a pair, or the one track, were received. */
export function lastReceivedMs({ track, other }: Progress): number {
  return other ? Math.min(track.atMs, other.atMs) : track.atMs;
}
