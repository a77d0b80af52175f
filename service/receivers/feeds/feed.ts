import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ClockStep } from '#lib/time/steady-clock.ts';
import type { Delivery, FieldCounts, RefusalCause } from '../fix.ts';

/**
 * Brings the messages of one feed: a poll, a connection, a device. It opens at once and reopens after a loss, until it is closed. It never
 * throws, whatever the other end does.
 */
export type Connect = (inlet: Inlet, surroundings: Surroundings) => Connection;

export interface Connection {
  /** Closes it for good, and resolves when everything is closed. Never rejects. */
  close(): Promise<void>;
}

/** Where a connection reports its messages and its state. */
export interface Inlet {
  /**
   * One whole message: a line or payload. It is parsed before this returns. Messages beyond the feed's limit are dropped and counted.
   * @param receivedAt default now. For the answer to a request, halfway between sending and receiving
   */
  message(message: string | Uint8Array, receivedAt?: UpstreamInstant): void;
  /**
   * A poll's whole answer, different from the last. Resolves when it is parsed and delivered.
   * @returns whether it was readable
   */
  answer(body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts): Promise<boolean>;
  /** A poll got the last answer again. */
  repeated(): void;
  /** Counts a message that can't be passed on, such as one that is `too_long`. */
  refuse(cause: RefusalCause): void;
  /** The connection works: an answer, an accepted subscription, an open device. */
  connected(): void;
  /**
   * The connection is lost or failed, and will be retried.
   * @param problem completes "the feed is down: …" for the feed's operator, without user, password or text of the other end
   */
  lost(problem: string): void;
}

/** Facts about an answer besides its content: when and where it was written. */
export interface AnswerFacts extends Required<Pick<Delivery, 'writtenAgoMs' | 'mayBeOld'>> {
  /** The server's IP address and the path, or the file without symbolic links. */
  readonly server: string;
}

/** Converts between steady clock and wall clock, see `SteadyClock`. */
export interface Calendar {
  /** By the wall clock's present setting. */
  wallOf(steady: UpstreamInstant): UpstreamInstant;
  steadyOf(wall: UpstreamInstant): UpstreamInstant;
  /** The latest step of the wall clock since the start. */
  lastStep(): ClockStep | undefined;
}

/** Clocks, timers and random numbers, of the machine or of a test. */
export interface Surroundings {
  /** Steady clock, unaffected by setting the machine's clock. `calendar` dates everything that leaves the service. */
  now(): UpstreamInstant;
  readonly calendar: Calendar;
  /** Calls back once, never before this returns. @returns a function that cancels it */
  after(ms: number, callback: () => void): () => void;
  /** In [0, 1). */
  random(): number;
}

/** `connecting` until first connected, later `lost` while it is not. */
export type ConnectionState = 'connecting' | 'connected' | 'lost';

/** Counts are since the start. */
export interface FeedHealth {
  readonly state: ConnectionState;
  /** When this state began. */
  readonly since: UpstreamInstant;
  /** Why it is not connected, or what is wrong with its data. */
  readonly problem: string | undefined;
  /** Time of the latest message, readable or not. */
  readonly lastHeardAt: UpstreamInstant | undefined;
  readonly lastPositionAt: UpstreamInstant | undefined;
  /** Of the last 60 seconds. */
  readonly positionsPerMinute: number;
  readonly messages: number;
  readonly positions: number;
  /** Causes that occurred. */
  readonly refused: Readonly<Partial<Record<RefusalCause, number>>>;
  /** Fields without a usable value, since the start. */
  readonly fields: FieldCounts;
}

/** A running feed. */
export interface Feed {
  health(): FeedHealth;
  /** Stops deliveries at once, and resolves when its connection is closed. Never rejects. */
  stop(): Promise<void>;
}
