import type { Layer } from '#lib/contract/operation.ts';
import type { ClockState, TimeBasis } from './feed-clock.ts';

export interface FeedTraits {
  readonly id: string;
  /** Whether it stands for an unknown number of stations. */
  readonly aggregates: boolean;
  readonly simulated: boolean;
}

/** Each fix counts in one of them. */
export interface FixCounts {
  /** It was the first to send the fix. */
  observed: number;
  /** Another feed had sent the fix before. */
  shared: number;
  /** The fix was polled again before the next one. */
  repeated: number;
  /** The fix was over 30 s old when it could have been served. */
  late: number;
  /** The fix may be old: the feed's clock is far off and was not seen running. */
  undated: number;
  /** It is older than another station's fix of the track. */
  overtaken: number;
  /** The track cannot have come there from where it was served. */
  contradicted: number;
  /** The fix has a worse origin than that of another station. */
  outranked: number;
  /** The feed has too many tracks or waiting fixes. */
  crowded: number;
}

export interface FeedState {
  readonly timeBasis: TimeBasis;
  /** The error of the feed's clock: positive if it is ahead of ours, `undefined` without times. */
  readonly clockErrorMs: number | undefined;
  readonly clockSpreadMs: number;
  readonly isClockDoubtful: boolean;
  /** Tracks that this feed was the first to report. */
  readonly tracks: number;
  readonly counts: Readonly<FixCounts>;
  /**
   * Served fixes that only this feed sent, of tracks that no other feed had reported for `RECENT_REPORT_MS`. Falls by
   * one if another feed sends such a fix later.
   */
  readonly alone: number;
}

const UNKNOWN_CLOCK: ClockState = { basis: 'arrival', errorMs: undefined, spreadMs: 0, isDoubtful: false };

/** One feed in the fusion: its clock, and how many of its fixes were served or not, and why. */
export class FusedFeed {
  readonly id: string;
  #traits: FeedTraits;
  #clock: ClockState = UNKNOWN_CLOCK;
  #tracks = 0;
  #alone = 0;
  readonly #counts: FixCounts = {
    observed: 0,
    shared: 0,
    repeated: 0,
    late: 0,
    undated: 0,
    overtaken: 0,
    contradicted: 0,
    outranked: 0,
    crowded: 0,
  };
  readonly #latestFixMs: Record<Layer, number> = { rid: Number.NEGATIVE_INFINITY, adsb: Number.NEGATIVE_INFINITY };

  constructor(traits: FeedTraits) {
    this.id = traits.id;
    this.#traits = traits;
  }

  get traits(): FeedTraits {
    return this.#traits;
  }

  /** Tracks that this feed was the first to report. */
  get tracks(): number {
    return this.#tracks;
  }

  /** When its latest fix of the layer arrived, on our clock. */
  latestFixMs(layer: Layer): number {
    return this.#latestFixMs[layer];
  }

  /** Notes a message of the feed. */
  delivered(traits: FeedTraits, clock: ClockState, undated: number): void {
    this.#traits = traits;
    this.#clock = clock;
    this.#counts.undated += undated;
  }

  fixArrived(layer: Layer, receivedMs: number): void {
    this.#latestFixMs[layer] = receivedMs;
  }

  count(cause: keyof FixCounts): void {
    this.#counts[cause] += 1;
  }

  /** @param by 1 for a new track, -1 for one that is forgotten */
  countTrack(by: 1 | -1): void {
    this.#tracks += by;
  }

  /** @param by -1 if another feed sends a fix that had been counted as alone */
  countAlone(by: 1 | -1): void {
    this.#alone += by;
  }

  /** Forgets its clock and tracks, and keeps the counts. */
  reset(): void {
    this.#clock = UNKNOWN_CLOCK;
    this.#tracks = 0;
    this.#latestFixMs.rid = Number.NEGATIVE_INFINITY;
    this.#latestFixMs.adsb = Number.NEGATIVE_INFINITY;
  }

  state(): FeedState {
    return {
      timeBasis: this.#clock.basis,
      clockErrorMs: this.#clock.errorMs,
      clockSpreadMs: this.#clock.spreadMs,
      isClockDoubtful: this.#clock.isDoubtful,
      tracks: this.#tracks,
      counts: { ...this.#counts },
      alone: this.#alone,
    };
  }
}
