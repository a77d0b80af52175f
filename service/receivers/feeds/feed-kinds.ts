import { AIRCRAFT_KINDS } from './aircraft-kinds.ts';
import { DRONE_KINDS } from './drone-kinds.ts';
import type { FeedKind } from './feed-kind.ts';
import { pushKind } from './push-kind.ts';

/** Every feed there is, by the scheme of its address. */
export const FEED_KINDS: Readonly<Record<string, FeedKind>> = { ...AIRCRAFT_KINDS, ...DRONE_KINDS, push: pushKind };

/** Whether several stations usually stand behind a feed at this address, which is checked. */
export function usuallyAggregates(url: string): boolean {
  return FEED_KINDS[new URL(url).protocol.slice(0, -1)]?.aggregates ?? false;
}

/** Where a feed may be read, in one spelling; the address is checked. Two feeds with one in common are one station. */
export function placesOf(url: string): readonly string[] {
  const { protocol } = new URL(url);
  return FEED_KINDS[protocol.slice(0, -1)]?.places(new URL(url)) ?? [];
}
