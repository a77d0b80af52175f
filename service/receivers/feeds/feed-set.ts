import { isDeepStrictEqual } from 'node:util';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { KeyOf, Parsed } from '../fix.ts';
import type { Feed, FeedHealth, Surroundings } from './feed.ts';
import type { PushPlaces } from './feed-kind.ts';
import { FEED_KINDS } from './feed-kinds.ts';
import type { FeedSettings } from './feed-settings.ts';
import { runFeed } from './run-feed.ts';

/** The feeds that run. */
export interface FeedSet {
  /** Runs these and no others. A feed whose settings stayed the same goes on undisturbed. */
  run(feeds: readonly FeedSettings[]): void;
  /** In the order in which they were given. */
  standing(): readonly FeedWithHealth[];
  /** Nothing is delivered from now on; resolves once every connection is closed. Never rejects. */
  stop(): Promise<void>;
}

export interface FeedWithHealth {
  readonly settings: FeedSettings;
  readonly health: FeedHealth;
}

export interface FeedSetOptions {
  readonly keyOf: KeyOf;
  readonly deliver: (feed: FeedSettings, parsed: Parsed, receivedAt: UpstreamInstant) => void;
  readonly surroundings: Surroundings;
  /** Where stations send to; undefined if nothing listens for them. */
  readonly pushDesk?: PushPlaces | undefined;
}

interface Running {
  readonly settings: FeedSettings;
  readonly feed: Feed;
}

export function makeFeedSet({ keyOf, deliver, surroundings, pushDesk }: FeedSetOptions): FeedSet {
  let running: readonly Running[] = [];
  const stopping = new Set<Promise<void>>();

  function start(settings: FeedSettings): Running {
    const { protocol } = new URL(settings.url);
    const kind = FEED_KINDS[protocol.slice(0, -1)];
    if (kind === undefined) throw new RangeError(`settings that were not checked: there is no feed of ${protocol}`);
    const opened = kind.open(settings, keyOf, pushDesk);
    const feed = runFeed({
      id: settings.id,
      ...opened,
      deliver: (parsed, receivedAt) => deliver(settings, parsed, receivedAt),
      surroundings,
    });
    return { settings, feed };
  }

  function stop({ feed }: Running): void {
    const stopped = feed.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  }

  return {
    run(feeds) {
      const before = running;
      const kept = feeds.map((settings) => before.find((each) => isDeepStrictEqual(each.settings, settings)));
      for (const each of before) if (!kept.includes(each)) stop(each);
      running = feeds.map((settings, index) => kept[index] ?? start(settings));
    },
    standing: () => running.map(({ settings, feed }) => ({ settings, health: feed.health() })),
    async stop() {
      for (const each of running) stop(each);
      running = [];
      await Promise.all(stopping);
    },
  };
}
