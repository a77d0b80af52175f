import type { Layer } from '#lib/contract/operation.ts';
import type { TimeBasis } from './feed-clock.ts';
import type { ClockState } from './feed-times.ts';

export interface FeedTraits {
  readonly id: string;
  /** Stands for an unknown number of stations. */
  readonly aggregates: boolean;
  readonly simulated: boolean;
}

/** Each fix counts in one of them. */
export interface FixCounts {
  /** First to send it. */
  observed: number;
  /** After another feed. */
  shared: number;
  /** Polled before the next position. */
  repeated: number;
  /** Over 30 s old when it could have been served. */
  late: number;
  /** Possibly old: the clock is far off and was not seen running. */
  undated: number;
  /** Older than another station's fix of the track. */
  overtaken: number;
  /** Unreachable from what was served of the track. */
  contradicted: number;
  /** Of a worse origin than another station's. */
  outranked: number;
  /** Too many tracks or waiting fixes of this feed. */
  crowded: number;
}

export interface FeedState {
  readonly timeBasis: TimeBasis;
  /** Positive if it is ahead of ours. `undefined` without times. */
  readonly clockErrorMs: number | undefined;
  readonly clockSpreadMs: number;
  readonly isClockDoubtful: boolean;
  /** That this feed heard first. */
  readonly tracks: number;
  readonly counts: Readonly<FixCounts>;
  readonly alone: number;
}

const UNKNOWN_CLOCK: ClockState = { basis: 'arrival', errorMs: undefined, spreadMs: 0, isDoubtful: false };

export class FusedFeed {
  readonly id: string;
  traits: FeedTraits;
  clock: ClockState = UNKNOWN_CLOCK;
  readonly counts: FixCounts = {
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
  /**
   * Served fixes that only this feed sent, of tracks that no other feed had heard for `HEARD_MS`. Falls by one if
   * another feed sends such a fix later.
   */
  alone = 0;
  tracks = 0;
  /** Of the latest fix, on our clock. */
  readonly heardMs: Record<Layer, number> = { rid: Number.NEGATIVE_INFINITY, adsb: Number.NEGATIVE_INFINITY };

  constructor(traits: FeedTraits) {
    this.id = traits.id;
    this.traits = traits;
  }

  /** Keeps the counts. */
  startAnew(): void {
    this.clock = UNKNOWN_CLOCK;
    this.tracks = 0;
    this.heardMs.rid = Number.NEGATIVE_INFINITY;
    this.heardMs.adsb = Number.NEGATIVE_INFINITY;
  }

  state(): FeedState {
    const { clock } = this;
    return {
      timeBasis: clock.basis,
      clockErrorMs: clock.errorMs,
      clockSpreadMs: clock.spreadMs,
      isClockDoubtful: clock.isDoubtful,
      tracks: this.tracks,
      counts: { ...this.counts },
      alone: this.alone,
    };
  }
}
