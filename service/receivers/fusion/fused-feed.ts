import type { Layer } from '#lib/contract/operation.ts';
import type { TimeBasis } from './feed-clock.ts';
import type { ClockState } from './feed-times.ts';

/** What fusion has to know of a feed. */
export interface FeedTraits {
  /** Unique among the feeds. */
  readonly id: string;
  /** Several stations stand behind it, and it does not say how many of them heard a track. */
  readonly aggregates: boolean;
  /** What it sends is simulated: it is marked so, and kept apart from what was received. */
  readonly simulated: boolean;
}

/** What became of the fixes of a feed. Each is counted in one of them, once it is decided. */
export interface FixCounts {
  /** It became an observation, and this feed was the first to send it. */
  observed: number;
  /** It became an observation that another feed had sent already. */
  shared: number;
  /** Sent before by the same feed: a poll that came before the next position. */
  repeated: number;
  /** More than 30 s old when it could have been served. */
  late: number;
  /** Perhaps from an old message: the feed's clock is far from ours, and was not seen to run yet. */
  undated: number;
  /** Older than what another station had sent of the track. */
  overtaken: number;
  /** Where the track can't have been, according to what was served of it. */
  contradicted: number;
  /** Of a worse origin than what others received of the track. */
  outranked: number;
  /** More tracks, or more fixes of a track, than one feed may have. */
  crowded: number;
}

/** How a feed stands, for whoever runs it. */
export interface FeedState {
  readonly timeBasis: TimeBasis;
  /** How far its clock is ahead of ours, in ms; undefined if it has not said. */
  readonly clockErrorMs: number | undefined;
  /** How far the estimates of that lie apart. */
  readonly clockSpreadMs: number;
  /** It has a clock, but one that is too wrong or too unsteady to be used. */
  readonly isClockDoubtful: boolean;
  /** How many tracks it was the first to hear, of those that are still kept. */
  readonly tracks: number;
  readonly counts: Readonly<FixCounts>;
}

const UNKNOWN_CLOCK: ClockState = { basis: 'arrival', errorMs: undefined, spreadMs: 0, isDoubtful: false };

/** A feed as fusion keeps it. */
export class FusedFeed {
  readonly id: string;
  traits: FeedTraits;
  /** As it was when the feed sent something last. */
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
  /** When it last sent a fix of the layer, on our clock. */
  readonly heardMs: Record<Layer, number> = { rid: Number.NEGATIVE_INFINITY, adsb: Number.NEGATIVE_INFINITY };

  constructor(traits: FeedTraits) {
    this.id = traits.id;
    this.traits = traits;
  }

  /** Forgets all but the counts. */
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
