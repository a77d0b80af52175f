import { LAYERS, type Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Reception } from '#lib/model/reception.ts';
import { compareInstants, type UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { Surroundings } from '../feeds/feed.ts';
import type { ReceivingFeed } from '../feeds/feed-set.ts';
import type { Reach } from './reach.ts';

export interface ReceptionOptions {
  readonly feeds: () => readonly ReceivingFeed[];
  readonly reach: Reach;
  readonly surroundings: Surroundings;
}

/** A change is announced this much later at most. */
const LOOK_EVERY_MS = SECOND_MS;

/** Whether the receivers that could deliver a layer in a box do, now and at each past time. */
export function makeReception({ feeds, reach, surroundings }: ReceptionOptions) {
  const { after, calendar } = surroundings;
  const listeners = new Set<(layer: Layer) => void>();
  let known = statesOf(feeds());

  function look(): void {
    const states = statesOf(feeds());
    const changed = new Set(LAYERS.filter((layer) => states[layer] !== known[layer]));
    known = states;
    for (const layer of changed) for (const listener of listeners) listener(layer);
    cancel = after(LOOK_EVERY_MS, look);
  }
  let cancel = after(LOOK_EVERY_MS, look);

  return {
    reception(layer: Layer, bbox: Bbox): Reception {
      const { state, since, receivers, receiving } = receptionOf(reaching(reach, feeds(), layer, bbox));
      return { state, since: since && calendar.wallOf(since), receivers, receiving };
    },
    onChange: (listener: (layer: Layer) => void) => void listeners.add(listener),
    close(): void {
      cancel();
    },
  };
}

/**
 * The feeds that count for a layer and box. One whose reach clearly lies elsewhere does not, if another's touches the
 * box; if no known reach does, all count.
 */
function reaching(reach: Reach, feeds: readonly ReceivingFeed[], layer: Layer, bbox: Bbox): readonly ReceivingFeed[] {
  const able = feeds.filter(({ layers, isDouble }) => layers.includes(layer) && !isDouble);
  const touches = able.map(({ id }) => reach.touches(id, layer, bbox));
  return touches.includes(true) ? able.filter((_, index) => touches[index] !== false) : able;
}

type FeedNow = Pick<ReceivingFeed, 'isReceiving' | 'since'>;

/**
 * `since`: `ok` when all were back; `partly` when the first missing one was last heard, `lost` when the last of them.
 */
export function receptionOf(feeds: readonly FeedNow[]): Reception {
  const missing = feeds.filter(({ isReceiving }) => !isReceiving);
  const counts = { receivers: feeds.length, receiving: feeds.length - missing.length };
  if (feeds.length === 0) return { state: 'none', since: undefined, ...counts };
  if (missing.length === 0) return { state: 'ok', since: timesOf(feeds).at(-1), ...counts };
  return counts.receiving === 0
    ? { state: 'lost', since: timesOf(missing).at(-1), ...counts }
    : { state: 'partly', since: timesOf(missing)[0], ...counts };
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
