import 'server-only';
import type { LayerReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/live-answer.ts';
import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Position } from '#lib/model/position.ts';
import { addMs, type Instant } from '#lib/time/instant.ts';
import type { Block } from '../upstream/standing.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import { type Refresh, refreshArea } from './refresh-area.ts';

/** How often an area that is looked at is read. */
export const REFRESH_INTERVAL_MS = 5000;
/** A snapshot that is older than this without being replaced is called stale. */
const STALE_AFTER_MS = 2.5 * REFRESH_INTERVAL_MS;

/** The records of an area and layer as of one refresh. */
export interface AreaSnapshot {
  readonly positions: ReadonlyMap<string, Position>;
  /** On the upstream's clock; of the oldest part, where pages of two refreshes stand together. */
  readonly fetchedAt: Instant;
  readonly incomplete: LayerReason | undefined;
  readonly unreadable: number;
}

/** How a feed stands at one moment. Times are on the upstream's clock. */
export interface FeedStatus {
  readonly state: LayerState;
  readonly reason: LayerReason | undefined;
  readonly failingSince: Instant | undefined;
  readonly until: Instant | undefined;
  readonly snapshot: AreaSnapshot | undefined;
}

/**
 * One area of one layer, read at most once per interval for everybody who looks at it. A failure never replaces what was
 * read before, and what was read never loses its true age.
 */
export class AreaFeed {
  readonly #client: UpstreamClient;
  readonly #layer: Layer;
  readonly #bbox: Bbox;
  readonly #now: () => Instant;
  #snapshot: AreaSnapshot | undefined;
  #failure: { block: Block; since: Instant } | undefined;
  #dueAt: Instant | undefined;
  #refreshing: Promise<void> | undefined;

  /** @param bbox west < east, no side over the contract's limit */
  constructor(client: UpstreamClient, layer: Layer, bbox: Bbox, now: () => Instant) {
    this.#client = client;
    this.#layer = layer;
    this.#bbox = bbox;
    this.#now = now;
  }

  /** Starts a refresh where one is due and none is under way. The promise ends with the refresh and never rejects. */
  refreshIfDue(): Promise<void> {
    const now = this.#now();
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#dueAt !== undefined && now < this.#dueAt) return Promise.resolve();
    this.#dueAt = addMs(now, REFRESH_INTERVAL_MS);
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Milliseconds until the next refresh is due; 0 while one is under way. */
  dueInMs(): number {
    if (this.#refreshing !== undefined || this.#dueAt === undefined) return 0;
    return Math.max(0, this.#dueAt - this.#now());
  }

  /** Records held, for a bound on memory. */
  get size(): number {
    return this.#snapshot?.positions.size ?? 0;
  }

  status(): FeedStatus {
    const snapshot = this.#snapshot;
    const failure = this.#failure;
    const base = {
      snapshot,
      reason: failure?.block.reason ?? snapshot?.incomplete,
      failingSince: failure?.since,
      until: failure?.block.until && this.#client.clock.fromLocal(failure.block.until),
    };
    if (!failure && !snapshot) return { ...base, state: 'waiting' };
    if (failure) return { ...base, state: stateOfFailure(failure.block.reason, snapshot !== undefined) };
    const isStale = snapshot !== undefined && this.#client.clock.now() - snapshot.fetchedAt > STALE_AFTER_MS;
    return { ...base, state: isStale ? 'stale' : 'fresh' };
  }

  async #refresh(): Promise<void> {
    // A query that breaks the contract never leaves, and is as much a defect of ours as one that was rejected.
    const refresh = await refreshArea(this.#client, this.#layer, this.#bbox).catch(() => REFUSED_BY_OURSELVES);
    this.#failure = refresh.block && {
      block: refresh.block,
      since: this.#failure?.since ?? this.#client.clock.now(),
    };
    if (refresh.fetchedAt !== undefined) this.#snapshot = merge(this.#snapshot, refresh, refresh.fetchedAt);
  }
}

const REFUSED_BY_OURSELVES: Refresh = {
  positions: new Map(),
  fetchedAt: undefined,
  unreadable: 0,
  incomplete: 'request_rejected',
  block: { reason: 'request_rejected', until: undefined },
};

function stateOfFailure(reason: LayerReason, hasSnapshot: boolean): LayerState {
  switch (reason) {
    case 'layer_not_approved':
      return 'denied';
    case 'allowance_used_up':
      return 'limited';
    case 'key_refused':
    case 'request_rejected':
      return 'failed';
    case 'service_busy':
    case 'service_unreachable':
    case 'service_timeout':
    case 'answer_unreadable':
    case 'answer_too_large':
    case 'redirected':
    case 'pages_endless':
    case 'pages_interrupted':
      return hasSnapshot ? 'stale' : 'failed';
  }
}

/** A refresh that was broken off adds to what was read before, under the older age. */
function merge(before: AreaSnapshot | undefined, refresh: Refresh, fetchedAt: Instant): AreaSnapshot {
  const { positions, incomplete, unreadable } = refresh;
  if (incomplete === undefined || !before) return { positions, fetchedAt, incomplete, unreadable };
  const merged = new Map(before.positions);
  for (const [ref, position] of positions) merged.set(ref, position);
  return { positions: merged, fetchedAt: before.fetchedAt, incomplete, unreadable };
}
