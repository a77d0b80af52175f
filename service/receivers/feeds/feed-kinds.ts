import { AIRCRAFT_KINDS } from './aircraft-kinds.ts';
import type { FeedKind } from './feed-kind.ts';

/** Every feed there is, by the scheme of its address. */
export const FEED_KINDS: Readonly<Record<string, FeedKind>> = { ...AIRCRAFT_KINDS };
