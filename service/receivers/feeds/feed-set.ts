import { isDeepStrictEqual } from 'node:util';
import type { Layer } from '#lib/contract/operation.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { FeedDelivery, KeyOf } from '../fix.ts';
import type { Feed, FeedHealth, FeedLifeNow, FeedSettings, Surroundings } from './feed.ts';
import { type FeedHome, type FeedKind, type FeedPart, type FeedRequests, type OpenFeed, partId } from './feed-kind.ts';
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
  /** When it was found to hear far less of aircraft than usual; undefined while it hears well. */
  readonly deafSince?: UpstreamInstant | undefined;
  /** For a part of a feed: how many receivers it stands for, and how many of them receive. */
  readonly counts?: Pick<FeedPart, 'receivers' | 'receiving'> | undefined;
}

export interface FeedWithHealth {
  readonly settings: FeedSettings;
  readonly health: FeedHealth;
  readonly life: FeedLifeNow;
  readonly requests: FeedRequests | undefined;
}

export interface FeedSetOptions {
  readonly keyOf: KeyOf;
  readonly deliver: (feed: FeedSettings, delivery: FeedDelivery, receivedAt: UpstreamInstant) => void;
  readonly largeAnswers?: LargeAnswers | undefined;
  readonly surroundings: Surroundings;
  readonly home?: FeedHome | undefined;
  readonly kinds?: FeedKinds;
}

interface Running {
  readonly number: number;
  readonly settings: FeedSettings;
  readonly kind: FeedKind;
  readonly feed: Feed;
  readonly opened: OpenFeed;
}

/** The feeds that run. Each starts with its settings and stops when they change; the others are not disturbed. */
export function makeFeedSet({
  keyOf,
  deliver,
  largeAnswers,
  surroundings,
  home,
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
    const opened = kind.open(settings, keyOf, home);
    const feed = runFeed({
      ...opened,
      words: kind.words,
      signs: kind.signs,
      deliver: (delivery, receivedAt) => deliver(settings, delivery, receivedAt),
      sameStation: sameStationOf(number),
      parseLarge: largeAnswers?.of(settings),
      surroundings,
    });
    return { settings, kind, feed, number, opened };
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
      running.flatMap(({ settings: { id }, kind, feed, opened }) =>
        opened.parts
          ? opened.parts().map((part) => lifeOfPart(id, part))
          : { id, layers: kind.layers, renew: feed.renew, ...feed.life() },
      ),
    statuses: () =>
      running.map(({ settings, feed, opened }) => ({
        settings,
        health: feed.health(),
        life: opened.parts ? lifeOfParts(feed, opened.parts()) : feed.life(),
        requests: opened.requests?.(),
      })),
    async stop() {
      for (const each of running) stop(each);
      running = [];
      await Promise.all(stopping);
    },
  };
}

/** The rhythm of reads follows the requests that are left, and says nothing about a loss. */
function lifeOfParts(feed: Feed, parts: readonly FeedPart[]): FeedLifeNow {
  return { ...feed.life(), isReceiving: parts.some(({ receivers, receiving }) => receiving > 0 || receivers === 0) };
}

function lifeOfPart(feed: string, { layer, area, since, lostAt, deafSince, ...counts }: FeedPart): ReceivingFeed {
  const id = partId(feed, { layer, area });
  const isNone = counts.receivers === 0;
  return {
    id: isNone ? `${id}/none` : id,
    layers: isNone ? [] : [layer],
    isReceiving: counts.receiving > 0,
    since,
    lostAt,
    deafSince,
    isDouble: false,
    renew: () => {},
    counts,
  };
}
