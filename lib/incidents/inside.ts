import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';

// The answer of an incident for each layer: the tracks that were received inside its area and times, and the times of
// which nothing is known. There are three verdicts, and "clear" is none of them.

/** The fields of a received position that count. */
export interface InsidePosition {
  readonly public_track_id: string;
  readonly longitude: number;
  readonly latitude: number;
  readonly height_agl_m: number | null;
  readonly altitude_m: number | null;
  readonly simulated: boolean;
  readonly test_broadcast: boolean;
}

/** Times are epoch ms. */
export interface TrackSummary {
  readonly track: string;
  firstMs: number;
  lastMs: number;
  /** The lowest of each field, which are never mixed; null: none was reported. */
  lowestAglM: number | null;
  lowestAltitudeM: number | null;
  /** To the place that the incident is about. */
  nearestM: number;
  positions: number;
  simulated: boolean;
  test: boolean;
}

/** Sums positions of one layer, in any order; summing two sums is the same as summing all. */
export class TracksInside {
  readonly #tracks = new Map<string, TrackSummary>();
  readonly #about: LonLat;

  constructor(about: LonLat) {
    this.#about = about;
  }

  add(position: InsidePosition, atMs: number): void {
    const { public_track_id, longitude, latitude, height_agl_m, altitude_m, simulated, test_broadcast } = position;
    this.#sum({
      track: public_track_id,
      firstMs: atMs,
      lastMs: atMs,
      lowestAglM: height_agl_m,
      lowestAltitudeM: altitude_m,
      nearestM: distanceM(this.#about, { lon: longitude, lat: latitude }),
      positions: 1,
      simulated,
      test: test_broadcast,
    });
  }

  addAll(tracks: readonly TrackSummary[]): void {
    for (const track of tracks) this.#sum({ ...track });
  }

  /** In the order of their first position. */
  get tracks(): readonly TrackSummary[] {
    return [...this.#tracks.values()].sort(
      (one, next) => one.firstMs - next.firstMs || (one.track < next.track ? -1 : 1),
    );
  }

  #sum(added: TrackSummary): void {
    const track = this.#tracks.get(added.track);
    if (!track) {
      this.#tracks.set(added.track, added);
      return;
    }
    track.firstMs = Math.min(track.firstMs, added.firstMs);
    track.lastMs = Math.max(track.lastMs, added.lastMs);
    track.lowestAglM = lower(track.lowestAglM, added.lowestAglM);
    track.lowestAltitudeM = lower(track.lowestAltitudeM, added.lowestAltitudeM);
    track.nearestM = Math.min(track.nearestM, added.nearestM);
    track.positions += added.positions;
    track.simulated ||= added.simulated;
    track.test ||= added.test;
  }
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || (other !== null && other < one) ? other : one;
}

/** A time in which a layer was not watched, or only partly; epoch ms. */
export interface Unwatched {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: string;
}

/** In order of time: those of one reason that overlap or follow each other are one, cut to the window. */
export function mergedUnwatched(stretches: readonly Unwatched[], fromMs: number, toMs: number): readonly Unwatched[] {
  const merged: Unwatched[] = [];
  const inOrder = stretches
    .map((each) => ({ ...each, fromMs: Math.max(each.fromMs, fromMs), toMs: Math.min(each.toMs, toMs) }))
    .filter((each) => each.toMs > each.fromMs)
    .sort((one, next) => one.fromMs - next.fromMs || one.toMs - next.toMs);
  for (const stretch of inOrder) {
    const index = merged.findLastIndex(({ reason }) => reason === stretch.reason);
    const before = merged[index];
    if (before && before.toMs >= stretch.fromMs)
      merged[index] = { ...before, toMs: Math.max(before.toMs, stretch.toMs) };
    else merged.push(stretch);
  }
  return merged;
}

export type Verdict = 'received' | 'none_while_watched' | 'not_known';

export function verdictOf(tracks: readonly unknown[], notWatched: readonly unknown[]): Verdict {
  if (tracks.length > 0) return 'received';
  return notWatched.length === 0 ? 'none_while_watched' : 'not_known';
}

/** `2026-014` */
export function incidentNumber(year: number, number: number): string {
  return `${year}-${String(number).padStart(3, '0')}`;
}
