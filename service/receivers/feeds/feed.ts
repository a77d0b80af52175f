import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { ClockStep } from '#lib/time/steady-clock.ts';
import type { Delivery, FieldCounts, RefusalCause } from '../fix.ts';

/**
 * What brings the messages of one feed: a poll, a connection, a device. It opens at once, and after a loss opens again
 * by itself, until it is closed. Whatever happens at the other end, it never throws.
 */
export type Connect = (inlet: Inlet, surroundings: Surroundings) => Connection;

export interface Connection {
  /** Ends it for good; resolves once nothing is open any more. Never rejects. */
  close(): Promise<void>;
}

/** What a connection reports to: what it received, and how it stands itself. */
export interface Inlet {
  /**
   * One whole message: the body of a poll, a line, a payload. It is parsed before this returns. Messages beyond the
   * feed's limit are dropped and counted.
   * @param receivedAt default now; of an answer to a request, the middle between sending and receiving
   */
  message(message: string | Uint8Array, receivedAt?: UpstreamInstant): void;
  /**
   * The whole answer of a poll, another one than the last. Resolves once it is parsed and delivered.
   * @returns whether it could be read
   */
  answer(body: Uint8Array, receivedAt: UpstreamInstant, facts: AnswerFacts): Promise<boolean>;
  /** The answer of a poll is the last one again. */
  repeated(): void;
  /** Counts a message that cannot be passed on: `too_long`, for example. */
  refuse(cause: RefusalCause): void;
  /** The connection stands: an answer came, a subscription was accepted, a device is open. */
  connected(): void;
  /**
   * It is lost, or could not be made; it will be tried again.
   * @param problem for whoever runs the feed, as the end of "the feed is down: …". No user, no password, no text of the
   * other end.
   */
  lost(problem: string): void;
}

/** What a poll knows of an answer besides its content: of when it was written, and where. */
export interface AnswerFacts extends Required<Pick<Delivery, 'writtenAgoMs' | 'mayBeOld'>> {
  /** The server by its IP address and the path, or the file without symbolic links. */
  readonly server: string;
}

/** Converts between the steady clock and the wall clock. See `SteadyClock`. */
export interface Calendar {
  /** When that was by the wall clock as it is set now. */
  wallOf(steady: UpstreamInstant): UpstreamInstant;
  steadyOf(wall: UpstreamInstant): UpstreamInstant;
  /** How the wall clock was set last, since the start. */
  lastStep(): ClockStep | undefined;
}

/** Clocks, timers and dice of the machine, or of a test. */
export interface Surroundings {
  /** The steady clock: setting the machine's clock does not move it. Whatever leaves the service is dated by `calendar`. */
  now(): UpstreamInstant;
  readonly calendar: Calendar;
  /** Calls back once, not before this returns. @returns what cancels it */
  after(ms: number, callback: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** `connecting` until first connected; `lost` from then on while it is not. */
export type ConnectionState = 'connecting' | 'connected' | 'lost';

/** How a feed stands. Counts are since its start. */
export interface FeedHealth {
  readonly id: string;
  readonly state: ConnectionState;
  /** Since when it is in this state. */
  readonly since: UpstreamInstant;
  /** Why it is not connected; while it is, what is wrong with what it sends. */
  readonly problem: string | undefined;
  /** When the last message came, readable or not. */
  readonly lastHeardAt: UpstreamInstant | undefined;
  readonly lastPositionAt: UpstreamInstant | undefined;
  /** Positions of the last 60 seconds. */
  readonly positionsPerMinute: number;
  readonly messages: number;
  readonly positions: number;
  /** Only causes that occurred. */
  readonly refused: Readonly<Partial<Record<RefusalCause, number>>>;
  /** Fields of messages that gave no value, since the start. */
  readonly fields: FieldCounts;
}

/** A feed that runs. */
export interface Feed {
  readonly id: string;
  health(): FeedHealth;
  /** Nothing is delivered from now on; resolves once its connection is closed. Never rejects. */
  stop(): Promise<void>;
}
