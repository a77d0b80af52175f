import type { AircraftPolicy } from '../parsers/aircraft-value.ts';

/** Checked settings of a feed. Feeds with equal settings are the same feed. */
export interface FeedSettings {
  /** Unique among the feeds, and part of the keys of tracks that only this feed knows. */
  readonly id: string;
  /** Its scheme is one of `FEED_KINDS`. */
  readonly url: string;
  readonly aggregates: boolean;
  readonly simulated: boolean;
  readonly policy: AircraftPolicy;
  readonly sbsTimes: 'arrival' | 'utc';
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  /** PEM file of certificates that are trusted in addition to the system's. */
  readonly caFile: string | undefined;
  /** SHA-256 of the keys of a station that pushes, 64 hex digits each. Two while one replaces the other. */
  readonly keyDigests: readonly string[];
}

export type ReadFeeds =
  | { readonly ok: true; readonly feeds: readonly FeedSettings[] }
  /** Each names one mistake and what to write instead. */
  | { readonly ok: false; readonly problems: readonly string[] };
