import { distanceM, type LonLat } from '#lib/geo/great-circle.ts';

// The answer of an incident for each layer: the tracks that were received inside its area and times, and the times of
// which nothing is known. There are three verdicts, and "clear" is none of them.

/** One received position; times are epoch ms. */
export interface InsidePosition {
  readonly ref: string;
  readonly atMs: number;
  readonly lon: number;
  readonly lat: number;
  readonly heightAglM: number | null;
  readonly altitudeM: number | null;
  readonly simulated: boolean;
  readonly test: boolean;
}

export interface TrackSummary {
  readonly ref: string;
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

  add({ ref, atMs, lon, lat, heightAglM, altitudeM, simulated, test }: InsidePosition): void {
    this.#sum({
      ref,
      firstMs: atMs,
      lastMs: atMs,
      lowestAglM: heightAglM,
      lowestAltitudeM: altitudeM,
      nearestM: distanceM(this.#about, { lon, lat }),
      positions: 1,
      simulated,
      test,
    });
  }

  addAll(tracks: readonly TrackSummary[]): void {
    for (const track of tracks) this.#sum({ ...track });
  }

  /** In the order of their first position. */
  get tracks(): readonly TrackSummary[] {
    return [...this.#tracks.values()].sort((one, next) => one.firstMs - next.firstMs || (one.ref < next.ref ? -1 : 1));
  }

  #sum(added: TrackSummary): void {
    const track = this.#tracks.get(added.ref);
    if (!track) {
      this.#tracks.set(added.ref, added);
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
export function mergedUnwatched<Stretch extends Unwatched>(
  stretches: readonly Stretch[],
  fromMs: number,
  toMs: number,
): readonly Stretch[] {
  const merged: Stretch[] = [];
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
