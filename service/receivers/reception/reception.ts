import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { compareInstants, epochMs, msBetween, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import type { Window } from '#lib/time/window.ts';
import type { Reception, ReceptionStretch } from '../../sources/observation.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { ReceivingFeed } from '../feeds/feed-set.ts';
import type { Reach } from './reach.ts';
import { type ReceptionRecord, stateOf } from './reception-record.ts';

export interface ReceptionOptions {
  readonly feeds: () => readonly ReceivingFeed[];
  readonly reach: Reach;
  readonly record: ReceptionRecord;
  /** Undefined if nothing is. */
  readonly oldestRecordedAt: () => UpstreamInstant | undefined;
  readonly surroundings: Surroundings;
}

/** A change is announced this much later at most. */
const LOOK_EVERY_MS = SECOND_MS;
/** A killed service loses at most this. */
const STORED_EVERY_MS = MINUTE_MS;

/** Whether the receivers that could deliver a layer in a box do, now and at each past time. */
export function makeReception({ feeds, reach, record, oldestRecordedAt, surroundings }: ReceptionOptions) {
  const { now, after, calendar } = surroundings;
  const listeners = new Set<(layer: Layer) => void>();
  let known = statesOf(feeds());

  let storedAt = now();
  let wereReceiving: ReadonlySet<string> = new Set();

  function sample(): void {
    const at = now();
    const sampled = feeds()
      .filter(({ isDouble }) => !isDouble)
      .map(({ id, layers, isReceiving, since }) => ({
        id,
        layers,
        isReceiving,
        sinceMs: epochMs(calendar.wallOf(since)),
      }));
    const steadyMs = epochMs(at);
    record.sample({ wallMs: epochMs(calendar.wallOf(at)), steadyMs, uptimeMs: surroundings.uptimeMs?.() }, sampled);
  }

  function look(): void {
    sample();
    const receiving = new Set<string>();
    for (const { id, isReceiving, renew } of feeds()) {
      // Once: the empty line that some programs send after a minute needs a connection of a minute.
      if (!isReceiving && wereReceiving.has(id)) renew();
      if (isReceiving) receiving.add(id);
    }
    wereReceiving = receiving;
    const states = statesOf(feeds());
    const changed = LAYERS.filter((layer) => states[layer] !== known[layer]);
    known = states;
    for (const layer of changed) for (const listener of listeners) listener(layer);
    if (changed.length > 0 || msBetween(storedAt, now()) >= STORED_EVERY_MS) {
      storedAt = now();
      void record.flush();
    }
    cancel = after(LOOK_EVERY_MS, look);
  }
  let cancel = after(LOOK_EVERY_MS, look);
  sample();

  return {
    reception(layer: Layer, bbox: Bbox): Reception {
      const { state, since, receivers, receiving } = receptionOf(reaching(reach, feeds(), layer, bbox));
      return { state, since: since && calendar.wallOf(since), receivers, receiving };
    },
    pastReception(layer: Layer, bbox: Bbox, window: Window): readonly ReceptionStretch[] {
      sample();
      const oldest = oldestRecordedAt();
      return record.stretches(layer, window, {
        counts: (ids) => reachingIds(reach, ids, layer, bbox),
        oldestRecordedMs: oldest && epochMs(oldest),
      });
    },
    onChange: (listener: (layer: Layer) => void) => void listeners.add(listener),
    close(): Promise<void> {
      cancel();
      sample();
      return record.flush();
    },
  };
}

function reaching(reach: Reach, feeds: readonly ReceivingFeed[], layer: Layer, bbox: Bbox): readonly ReceivingFeed[] {
  const able = feeds.filter(({ layers, isDouble }) => layers.includes(layer) && !isDouble);
  const ids = reachingIds(
    reach,
    able.map(({ id }) => id),
    layer,
    bbox,
  );
  return able.filter(({ id }) => ids.has(id));
}

/**
 * The feeds that count for a layer and box. One whose reach clearly lies elsewhere does not, if another's touches the
 * box; if no known reach does, all count.
 */
function reachingIds(reach: Reach, able: readonly string[], layer: Layer, bbox: Bbox): ReadonlySet<string> {
  const touches = able.map((id) => reach.touches(id, layer, bbox));
  return new Set(touches.includes(true) ? able.filter((_, index) => touches[index] !== false) : able);
}

type FeedNow = Pick<ReceivingFeed, 'isReceiving' | 'since'>;

/**
 * `since`: `ok` when all were back; `partly` when the first missing one was last heard, `lost` when the last of them.
 */
function receptionOf(feeds: readonly FeedNow[]): Reception {
  const missing = feeds.filter(({ isReceiving }) => !isReceiving);
  const counts = { receivers: feeds.length, receiving: feeds.length - missing.length };
  const state = stateOf(feeds.length, missing.length);
  return { state, since: timesOf(missing.length === 0 ? feeds : missing).at(state === 'partly' ? 0 : -1), ...counts };
}

function timesOf(feeds: readonly FeedNow[]): readonly UpstreamInstant[] {
  return feeds.map(({ since }) => since).toSorted(compareInstants);
}

function statesOf(feeds: readonly ReceivingFeed[]): Readonly<Record<Layer, string>> {
  const of = (layer: Layer) =>
    feeds
      .filter(({ layers }) => layers.includes(layer))
      .map(({ id, isReceiving, isDouble }) => `${id} ${isReceiving} ${isDouble}`)
      .join('\n');
  return { rid: of('rid'), adsb: of('adsb') };
}
