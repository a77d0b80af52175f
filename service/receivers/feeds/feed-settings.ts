import type { AircraftPolicy } from '../parsers/aircraft-value.ts';

/** A feed as it was chosen, checked. Two feeds with equal settings are the same feed. */
export interface FeedSettings {
  /** Unique among the feeds; it is part of the key of a track that is known to this feed only. */
  readonly id: string;
  /** Its scheme is one of `FEED_KINDS`. */
  readonly url: string;
  readonly aggregates: boolean;
  readonly simulated: boolean;
  readonly policy: AircraftPolicy;
  readonly sbsTimes: 'arrival' | 'utc';
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  /** Certificates that are trusted besides the system's, in PEM. */
  readonly caFile: string | undefined;
  /** Of a station that pushes: SHA-256 of its keys, 64 hex digits each; two while one replaces the other. */
  readonly keyDigests: readonly string[];
}

export type ReadFeeds =
  | { readonly ok: true; readonly feeds: readonly FeedSettings[] }
  /** One for each thing that is wrong; each says what to write instead. */
  | { readonly ok: false; readonly problems: readonly string[] };
