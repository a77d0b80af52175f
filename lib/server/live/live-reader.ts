import 'server-only';
import { LRUCache } from 'lru-cache';
import type { LayerState, LiveAnswer, LiveLayer } from '#lib/api/live-answer.ts';
import { LIVE_MAX_SPAN_DEG } from '#lib/contract/limits.ts';
import type { Layer } from '#lib/contract/operation.ts';
import { type Bbox, bboxContains, formatBbox } from '#lib/geo/bbox.ts';
import { capBbox } from '#lib/geo/cap-bbox.ts';
import { growToGrid } from '#lib/geo/grow-to-grid.ts';
import { splitAtAntimeridian } from '#lib/geo/split-at-antimeridian.ts';
import { LAYERS, type Position } from '#lib/model/position.ts';
import { formatInstant, type Instant } from '#lib/time/instant.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { AreaFeed, type FeedStatus, REFRESH_INTERVAL_MS } from './area-feed.ts';
import { liveRecord } from './live-record.ts';
import { keepNewest } from './refresh-area.ts';

/** How long a reader waits for a refresh that is under way before it is told what there is. */
const READER_WAIT_MS = 1500;
/** Areas that are kept, and for how long after nobody looked at them. */
const FEEDS_MOST = 500;
const FEED_KEPT_MS = 5 * 60_000;
const SHORTEST_POLL_MS = 1000;

/** From worst to best: a layer that is read in two boxes stands as badly as the worse of them. */
const worstFirst: readonly LayerState[] = ['failed', 'denied', 'limited', 'stale', 'waiting', 'fresh'];

/**
 * Answers viewers. A viewport is capped and split into boxes that the upstream takes, each box is grown to a grid so that
 * neighbours share it, and one feed per grown box and layer serves everybody.
 */
export class LiveReader {
  readonly #client: UpstreamClient;
  readonly #now: () => Instant;
  readonly #feeds: LRUCache<string, AreaFeed>;

  constructor(client: UpstreamClient, now: () => Instant) {
    this.#client = client;
    this.#now = now;
    this.#feeds = new LRUCache({ max: FEEDS_MOST, ttl: FEED_KEPT_MS, updateAgeOnGet: true });
  }

  async read(asked: Bbox, layers: readonly Layer[]): Promise<LiveAnswer> {
    const { bbox: watched, capped } = capBbox(asked, LIVE_MAX_SPAN_DEG);
    const covered = splitAtAntimeridian(watched);
    const feedsOf = new Map(layers.map((layer) => [layer, covered.map((box) => this.#feed(layer, box))]));
    const feeds = [...feedsOf.values()].flat();
    await withinMs(Promise.all(feeds.map((feed) => feed.refreshIfDue())), READER_WAIT_MS);

    const answers: Partial<Record<Layer, LiveLayer>> = {};
    for (const layer of LAYERS) {
      const layerFeeds = feedsOf.get(layer);
      if (layerFeeds)
        answers[layer] = layerAnswer(
          layerFeeds.map((feed) => feed.status()),
          covered,
        );
    }
    const dueInMs = Math.min(REFRESH_INTERVAL_MS, ...feeds.map((feed) => feed.dueInMs()));
    return {
      as_of: formatInstant(this.#client.clock.now()),
      next_poll_ms: Math.max(SHORTEST_POLL_MS, dueInMs),
      asked: corners(asked),
      covered: covered.map(corners),
      capped,
      layers: answers,
    };
  }

  #feed(layer: Layer, box: Bbox): AreaFeed {
    const area = growToGrid(box, LIVE_MAX_SPAN_DEG);
    const name = `${layer} ${formatBbox(area)}`;
    let feed = this.#feeds.get(name);
    if (!feed) {
      feed = new AreaFeed(this.#client, layer, area, this.#now);
      this.#feeds.set(name, feed);
    }
    return feed;
  }
}

function layerAnswer(statuses: readonly FeedStatus[], covered: readonly Bbox[]): LiveLayer {
  const worst = worstFirst.find((state) => statuses.some((status) => status.state === state)) ?? 'waiting';
  const speaker = statuses.find((status) => status.state === worst);
  const positions = new Map<string, Position>();
  for (const { snapshot } of statuses) {
    for (const position of snapshot?.positions.values() ?? []) {
      if (covered.some((box) => bboxContains(box, position.lon, position.lat))) keepNewest(positions, position);
    }
  }
  // The age of a picture is the age of its oldest part; a part that was never read has none to show.
  const fetched = statuses.flatMap(({ snapshot }) => (snapshot ? [snapshot.fetchedAt] : []));
  const text = (instant: Instant | undefined) => (instant === undefined ? null : formatInstant(instant));
  return {
    // Where one half has records and the other failed, there is something to show: it is stale, not failed.
    state: worst === 'failed' && fetched.length > 0 && !isRefusal(speaker) ? 'stale' : worst,
    fetched_at: fetched.length === 0 ? null : formatInstant(Math.min(...fetched) as Instant),
    partial:
      statuses.some(({ snapshot }) => snapshot?.incomplete) || (fetched.length > 0 && fetched.length < statuses.length),
    reason: speaker?.reason ?? null,
    failing_since: text(speaker?.failingSince),
    until: text(speaker?.until),
    unreadable: statuses.reduce((sum, { snapshot }) => sum + (snapshot?.unreadable ?? 0), 0),
    records: Array.from(positions.values(), liveRecord),
  };
}

function isRefusal(status: FeedStatus | undefined): boolean {
  return status?.reason === 'key_refused' || status?.reason === 'request_rejected';
}

function corners(box: Bbox): [number, number, number, number] {
  return [box.west, box.south, box.east, box.north];
}

/** Waits for the work, but not longer than that; the work goes on. */
async function withinMs(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
