import type { AircraftPolicy } from '../parsers/aircraft-value.ts';

export interface FeedSettings {
  /** Unique. Part of the keys of tracks that only this feed knows. */
  readonly id: string;
  readonly url: string;
  readonly aggregates: boolean;
  readonly simulated: boolean;
  readonly policy: AircraftPolicy;
  readonly sbsTimes: 'arrival' | 'utc';
  readonly username: string | undefined;
  readonly passwordFile: string | undefined;
  /** PEM file, trusted in addition to the system's certificates. */
  readonly caFile: string | undefined;
  /** SHA-256 in hex of a pushing station's keys. Two while one replaces the other. */
  readonly keyDigests: readonly string[];
}

export type ReadFeeds =
  | { readonly ok: true; readonly feeds: readonly FeedSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };
