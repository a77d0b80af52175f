import type { Layer } from '#lib/contract/operation.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ClockStep } from '#lib/time/steady-clock.ts';
import type { FeedDelivery, FieldCounts, RefusalCause } from '../fix.ts';
import type { AircraftPolicy } from '../parsers/aircraft-value.ts';

/** Reopens after a loss until closed. Never throws, whatever the other end does. */
export type Connect = (inlet: Inlet, surroundings: Surroundings) => Connection;

export interface Connection {
  /** Ends the present connection and connects again. */
  renew?(): void;
  /** Ends the connection for good. Never rejects. */
  close(): Promise<void>;
}

export interface Inlet {
  /**
   * Takes a line or payload, which is parsed before this returns.
   * @param receivedAt default now. For a request's answer, halfway between sending and receiving
   */
  message(message: string | Uint8Array, receivedAt?: UpstreamInstant): void;
  /**
   * Takes a poll's answer that differs from the last. Resolves when it is delivered.
   * @returns whether it was readable
   */
  answer(body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts): Promise<boolean>;
  repeated(): void;
  /**
   * Shows that the other end runs, without a message: an empty line.
   * @param isBeacon it comes regularly, with traffic too. Default false
   */
  keptAlive(isBeacon?: boolean): void;
  refuse(cause: RefusalCause): void;
  connected(): void;
  /** @param problem completes "the feed is down: …", without user, password or text of the other end */
  lost(problem: string): void;
}

export interface AnswerFacts extends Required<Pick<FeedDelivery, 'writtenAgoMs' | 'mayBeOld'>> {
  /** Server IP address and path, or the file without symbolic links. */
  readonly server: string;
}

export interface Calendar {
  wallOf(steady: UpstreamInstant): UpstreamInstant;
  steadyOf(wall: UpstreamInstant): UpstreamInstant;
  lastStep(): ClockStep | undefined;
}

export interface Surroundings {
  /** Steady clock. `calendar` dates everything that leaves the service. */
  now(): UpstreamInstant;
  readonly calendar: Calendar;
  /** Unlike `now`, it runs while the machine sleeps. In seconds, or finer. */
  uptimeMs?(): number;
  /** Calls back once, never before this returns. @returns a function that cancels it */
  after(ms: number, callback: () => void): () => void;
  random(): number;
}

export type ConnectionState = 'connecting' | 'connected' | 'lost';

export interface FeedHealth {
  readonly state: ConnectionState;
  readonly since: UpstreamInstant;
  readonly problem: string | undefined;
  readonly lastMessageAt: UpstreamInstant | undefined;
  readonly lastPositionAt: UpstreamInstant | undefined;
  /** Positions of the last 60 seconds. */
  readonly positionsPerMinute: number;
  readonly messages: number;
  readonly positions: number;
  readonly refused: Readonly<Partial<Record<RefusalCause, number>>>;
  readonly fields: FieldCounts;
}

export interface FeedLifeNow {
  readonly isReceiving: boolean;
  /** For a receiving feed, when it was back or started. For another, when its last message arrived or it started. */
  readonly since: UpstreamInstant;
  /** When the loss began that ended at `since`; `undefined` before the first one, and during a loss. */
  readonly lostAt?: UpstreamInstant | undefined;
  /** Another feed has the same answers and counts for both. */
  readonly isDouble: boolean;
}

export interface Feed {
  health(): FeedHealth;
  life(): FeedLifeNow;
  /** Connects again, if it is connected: the other end may have vanished without a word. */
  renew(): void;
  /** Stops deliveries at once. Never rejects. */
  stop(): Promise<void>;
}

export interface FeedSettings {
  /** It is unique, and part of the keys of tracks that only this feed knows. */
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
  /** The account at another service. */
  readonly readApi?: ReadApiSettings | undefined;
}

export interface ReadApiSettings {
  readonly keyFile: string;
  readonly layers: readonly Layer[];
  /** As the contract's live requests allow them. */
  readonly areas: readonly Bbox[];
  /** Between two reads of a layer and area. */
  readonly seconds: number;
  readonly requestsPerDay: number;
}

export type ReadFeeds =
  | { readonly ok: true; readonly feeds: readonly FeedSettings[] }
  | { readonly ok: false; readonly problems: readonly string[] };
