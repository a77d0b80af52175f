import type { Layer } from '#lib/contract/operation.ts';
import type { TimeBasis } from './feed-clock.ts';
import type { ClockState } from './feed-times.ts';

export interface FeedTraits {
  readonly id: string;
  /** It stands for several stations, without saying how many of them heard a track. */
  readonly aggregates: boolean;
  /** Its traffic is simulated, so it is marked and kept apart from received traffic. */
  readonly simulated: boolean;
}

/** Outcomes of a feed's fixes. Each fix counts in one of them. */
export interface FixCounts {
  /** Served, with this feed as the first to send it. */
  observed: number;
  /** Served, after another feed had sent it. */
  shared: number;
  /** Repeated by the same feed: it was polled before the next position. */
  repeated: number;
  /** Older than 30 s when it could have been served. */
  late: number;
  /** Possibly from an old message: the feed's clock is far off and was not seen running. */
  undated: number;
  /** Older than another station's fix of the track. */
  overtaken: number;
  /** Unreachable from what was served of the track. */
  contradicted: number;
  /** Of a worse origin than another station's fix. */
  outranked: number;
  /** Beyond the number of tracks, or of waiting fixes of a track, that one feed may have. */
  crowded: number;
}

export interface FeedState {
  readonly timeBasis: TimeBasis;
  /** ms that its clock is ahead of ours, `undefined` without times. */
  readonly clockErrorMs: number | undefined;
  /** Spread of the estimates, in ms. */
  readonly clockSpreadMs: number;
  /** It has a clock, but it is too wrong or unsteady to use. */
  readonly isClockDoubtful: boolean;
  /** Remembered tracks that this feed heard first. */
  readonly tracks: number;
  readonly counts: Readonly<FixCounts>;
}

const UNKNOWN_CLOCK: ClockState = { basis: 'arrival', errorMs: undefined, spreadMs: 0, isDoubtful: false };

export class FusedFeed {
  readonly id: string;
  traits: FeedTraits;
  /** As of its latest message. */
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
  tracks = 0;
  /** Time of its latest fix in each layer, on our clock. */
  readonly heardMs: Record<Layer, number> = { rid: Number.NEGATIVE_INFINITY, adsb: Number.NEGATIVE_INFINITY };

  constructor(traits: FeedTraits) {
    this.id = traits.id;
    this.traits = traits;
  }

  /** Resets everything but the counts. */
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
    };
  }
}
