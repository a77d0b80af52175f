import { isDeepStrictEqual } from 'node:util';
import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { FeedDelivery, KeyOf } from '../fix.ts';
import type { Feed, FeedHealth, FeedLifeNow, FeedSettings, Surroundings } from './feed.ts';
import type { FeedKind, PushPlaces } from './feed-kind.ts';
import { FEED_KINDS, type FeedKinds, feedKindOf } from './feed-kinds.ts';
import type { LargeAnswers } from './large/large-answers.ts';
import { runFeed, type SameStation } from './run-feed.ts';
import { SameContent } from './same-content.ts';

export interface FeedSet {
  run(feeds: readonly FeedSettings[]): void;
  statuses(): readonly FeedWithHealth[];
  lives(): readonly ReceivingFeed[];
  /** Stops deliveries at once. Never rejects. */
  stop(): Promise<void>;
}

export interface ReceivingFeed extends FeedLifeNow, Pick<Feed, 'renew'> {
  readonly id: string;
  readonly layers: readonly Layer[];
}

export interface FeedWithHealth {
  readonly settings: FeedSettings;
  readonly health: FeedHealth;
  readonly life: FeedLifeNow;
}

export interface FeedSetOptions {
  readonly keyOf: KeyOf;
  readonly deliver: (feed: FeedSettings, delivery: FeedDelivery, receivedAt: UpstreamInstant) => void;
  readonly largeAnswers?: LargeAnswers | undefined;
  readonly surroundings: Surroundings;
  readonly pushDesk?: PushPlaces | undefined;
  readonly kinds?: FeedKinds;
}

interface Running {
  readonly number: number;
  readonly settings: FeedSettings;
  readonly kind: FeedKind;
  readonly feed: Feed;
}

/** The feeds that run. Each starts with its settings and stops when they change; the others are not disturbed. */
export function makeFeedSet({
  keyOf,
  deliver,
  largeAnswers,
  surroundings,
  pushDesk,
  kinds = FEED_KINDS,
}: FeedSetOptions): FeedSet {
  let running: readonly Running[] = [];
  const stopping = new Set<Promise<void>>();
  const same = new SameContent();
  let started = 0;

  function start(settings: FeedSettings): Running {
    const kind = feedKindOf(settings.url, kinds);
    if (kind === undefined) throw new RangeError(`settings that were not checked: there is no feed of ${settings.url}`);
    const number = started;
    started += 1;
    const opened = kind.open(settings, keyOf, pushDesk);
    const feed = runFeed({
      ...opened,
      words: kind.words,
      signs: kind.signs,
      deliver: (delivery, receivedAt) => deliver(settings, delivery, receivedAt),
      sameStation: sameStationOf(number),
      parseLarge: largeAnswers?.of(settings),
      surroundings,
    });
    return { settings, kind, feed, number };
  }

  function sameStationOf(number: number): SameStation {
    return {
      note: (answer, server, at) => same.note(number, answer, server, at),
      countedInstead(at) {
        const other = same.countedInstead(number, at);
        return running.find((each) => each.number === other)?.settings.id;
      },
    };
  }

  function stop({ feed, number }: Running): void {
    same.forget(number);
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
    lives: () =>
      running.map(({ settings, kind, feed }) => ({
        id: settings.id,
        layers: kind.layers,
        renew: feed.renew,
        ...feed.life(),
      })),
    statuses: () => running.map(({ settings, feed }) => ({ settings, health: feed.health(), life: feed.life() })),
    async stop() {
      for (const each of running) stop(each);
      running = [];
      await Promise.all(stopping);
    },
  };
}
