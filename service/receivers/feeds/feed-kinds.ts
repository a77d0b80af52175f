import { AIRCRAFT_KINDS } from './aircraft-kinds.ts';
import { DRONE_KINDS } from './drone-kinds.ts';
import type { FeedKind } from './feed-kind.ts';
import { pushKind } from './push-kind.ts';

export const FEED_KINDS: Readonly<Record<string, FeedKind>> = { ...AIRCRAFT_KINDS, ...DRONE_KINDS, push: pushKind };

/** @param url a valid address */
export function usuallyAggregates(url: string): boolean {
  return FEED_KINDS[new URL(url).protocol.slice(0, -1)]?.aggregates ?? false;
}

export function placesOf(url: string): readonly string[] {
  const { protocol } = new URL(url);
  return FEED_KINDS[protocol.slice(0, -1)]?.places(new URL(url)) ?? [];
}
