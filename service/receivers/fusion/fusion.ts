import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { compareInstants, epochMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Observation } from '../../sources/observation.ts';
import type { FeedDelivery, Fix, TrackKey } from '../fix.ts';
import { FeedTimes, SET_BACK_MS } from './feed-clock.ts';
import { type FeedState, type FeedTraits, FusedFeed } from './fused-feed.ts';
import { FusedTrack } from './fused-track.ts';
import { liveObservation } from './served-observation.ts';
import type { SharedFix } from './shared-fix.ts';

export interface Fusion {
  add(feed: FeedTraits, delivery: FeedDelivery, receivedAt: UpstreamInstant): void;
  /** The newly final observations, sorted by time, at most 30 s old. Call it several times a second. */
  settle(now: UpstreamInstant): Observation[];
  /** Returns what `settle` does, with the fixes that still wait. It is the last call. */
  drain(now: UpstreamInstant): Observation[];
  /** The latest of what `settle` returned. Old observations are labelled `stale`. */
  live(layer: Layer, bbox: Bbox, now: UpstreamInstant): Observation[];
  feedState(id: string): FeedState | undefined;
  forgetClocks(): void;
}

/** The app caches closed windows for ever, so the past must be final. */
export const FINAL_AFTER_MS = 30 * SECOND_MS;
/** The longest wait for other stations. Most report within 0.5 s of each other. It shows in every mark's age. */
export const HOLD_MS = 0.5 * SECOND_MS;
/** Fixes wait only if another feed of their layer sent something within this time. */
const ACTIVE_MS = 30 * SECOND_MS;
/** A fix that arrives later is not served: it leaves time for the hold and for storing. */
const LATE_MS = FINAL_AFTER_MS - HOLD_MS - 2 * SECOND_MS;
/** A silent track is kept longer than its time to live. */
const FORGOTTEN_AFTER_MS = 90 * SECOND_MS;
const FORGET_EVERY_MS = 5 * SECOND_MS;

interface FusionOptions {
  /** Tracks that a feed may be the first to report. Default 12,000. */
  readonly tracksPerFeed?: number;
  /** Fixes observed earlier count as late: after a restart, feeds repeat recorded positions. */
  readonly notBefore?: UpstreamInstant;
  /** The observation as it is served: rounded as the past rounds it, for example. */
  readonly asServed?: (observation: Observation) => Observation;
}

const TRACKS_PER_FEED = 12_000;

interface Waiting {
  readonly track: FusedTrack;
  readonly shared: SharedFix;
}

/**
 * Makes one picture of the fixes of all feeds: each position once, in the order of time, with what the stations agree
 * on. It is deterministic: the same deliveries at the same times give the same observations.
 */
export function makeFusion(options: FusionOptions = {}): Fusion {
  const { tracksPerFeed = TRACKS_PER_FEED, asServed = (observation) => observation } = options;
  const feeds = new Map<string, FusedFeed>();
  const times = new FeedTimes();
  const received: TracksByLayer = { rid: new Map(), adsb: new Map() };
  const simulated: TracksByLayer = { rid: new Map(), adsb: new Map() };
  const allTracks = [received.rid, received.adsb, simulated.rid, simulated.adsb];
  let waiting: Waiting[] = [];
  let ready: Waiting[] = [];
  let forgottenMs = Number.NEGATIVE_INFINITY;
  let latestMs = Number.NEGATIVE_INFINITY;
  let notBeforeMs = options.notBefore === undefined ? Number.NEGATIVE_INFINITY : epochMs(options.notBefore);

  const feedOf = (traits: FeedTraits): FusedFeed => {
    const feed = feeds.get(traits.id) ?? new FusedFeed(traits);
    feeds.set(traits.id, feed);
    return feed;
  };

  const trackOf = (feed: FusedFeed, fix: Fix, isLate: boolean): FusedTrack | 'late' | 'crowded' => {
    const { layer, trackKey } = fix;
    const isSimulated = feed.traits.simulated || fix.relayed?.simulated === true;
    const tracks = (isSimulated ? simulated : received)[layer];
    const known = tracks.get(trackKey);
    if (known) return known;
    if (isLate) return 'late';
    if (feed.tracks >= tracksPerFeed) return 'crowded';
    feed.countTrack(1);
    const track = new FusedTrack(isSimulated ? simulatedKey(trackKey) : trackKey, isSimulated, feed, asServed);
    tracks.set(trackKey, track);
    return track;
  };

  const holdMs = (feed: FusedFeed, layer: Layer, receivedMs: number): number => {
    for (const other of feeds.values()) {
      if (other === feed || other.traits.simulated !== feed.traits.simulated) continue;
      if (receivedMs - other.latestFixMs(layer) < ACTIVE_MS) return HOLD_MS;
    }
    return 0;
  };

  /** Our clock was set back: earlier fixes lie in the future, so start again. */
  const advanceTo = (nowMs: number): void => {
    if (nowMs < latestMs - SET_BACK_MS) {
      waiting = [];
      ready = [];
      for (const tracks of allTracks) tracks.clear();
      for (const feed of feeds.values()) feed.reset();
      times.reset();
      forgottenMs = nowMs;
      latestMs = nowMs;
      notBeforeMs = Number.NEGATIVE_INFINITY;
    }
    if (nowMs > latestMs) latestMs = nowMs;
  };

  const settleDue = (nowMs: number, dueMs = nowMs): Observation[] => {
    const observed: Observation[] = [];
    for (const { track, shared } of ready) track.settle(shared, nowMs - FINAL_AFTER_MS, observed);
    ready = [];
    let next = 0;
    for (; next < waiting.length; next += 1) {
      const { track, shared } = waiting[next]!;
      if (shared.dueMs > dueMs) break;
      track.settle(shared, nowMs - FINAL_AFTER_MS, observed);
    }
    if (next > 0) waiting = waiting.slice(next);
    return observed.sort((a, b) => compareInstants(a.observedAt, b.observedAt));
  };

  const forget = (nowMs: number): void => {
    if (nowMs - forgottenMs < FORGET_EVERY_MS) return;
    forgottenMs = nowMs;
    for (const tracks of allTracks) {
      for (const [key, track] of tracks) {
        if (nowMs - track.latestFixMs <= FORGOTTEN_AFTER_MS) continue;
        tracks.delete(key);
        track.owner.countTrack(-1);
      }
    }
  };

  return {
    add(traits, delivery, receivedAt) {
      const receivedMs = epochMs(receivedAt);
      advanceTo(receivedMs);
      const { fixes, undated, clock } = times.time(traits.id, delivery, receivedAt);
      const feed = feedOf(traits);
      feed.delivered(traits, clock, undated);
      for (const { layer, trackKey } of delivery.gone ?? []) {
        for (const tracks of [received[layer], simulated[layer]]) tracks.get(trackKey)?.withdraw();
      }
      const hold = {
        rid: holdMs(feed, 'rid', receivedMs),
        adsb: holdMs(feed, 'adsb', receivedMs),
      };
      for (const { fix, observedMs, slackMs } of fixes) {
        // Fixes of receivers do not wait for those of another service.
        if (!fix.relayed) feed.fixArrived(fix.layer, receivedMs);
        const isLate = receivedMs - observedMs > LATE_MS || observedMs < notBeforeMs;
        const track = trackOf(feed, fix, isLate);
        if (typeof track === 'string') {
          feed.count(track);
          continue;
        }
        const shared = track.receive({ feed, fix, observedMs, slackMs, receivedMs, isLate }, hold[fix.layer]);
        if (shared) (hold[fix.layer] > 0 ? waiting : ready).push({ track, shared });
        const complete = track.ready();
        if (complete) ready.push({ track, shared: complete });
      }
    },

    settle(now) {
      const nowMs = epochMs(now);
      advanceTo(nowMs);
      forget(nowMs);
      return settleDue(nowMs);
    },

    drain: (now) => settleDue(epochMs(now), Number.POSITIVE_INFINITY),

    live(layer, bbox, now) {
      const nowMs = epochMs(now);
      const found: Observation[] = [];
      for (const tracks of [received[layer], simulated[layer]]) {
        for (const { observation } of tracks.values()) {
          const live = observation && liveObservation(observation, bbox, nowMs);
          if (live) found.push(live);
        }
      }
      return found;
    },

    feedState: (id) => feeds.get(id)?.state(),

    forgetClocks: () => times.reset(),
  };
}

type TracksByLayer = Record<Layer, Map<TrackKey, FusedTrack>>;

/** A simulated track may have the name of a received one. */
function simulatedKey(trackKey: TrackKey): string {
  return (15 - Number.parseInt(trackKey[0]!, 16)).toString(16) + trackKey.slice(1);
}
