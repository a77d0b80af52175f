import 'server-only';
import type { Logger } from 'pino';
import { unlessAborted } from '#lib/async/wait.ts';
import type { Notice } from '#lib/outputs/notice.ts';
import { connectionClause } from '#lib/text/connection-clause.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AreaReads } from '../../live/area-reads.ts';
import { deadline } from '../../machine.ts';
import { AddressRefused, type Guard, Unreachable } from '../guard.ts';
import type { ZoneStates } from '../zone-states.ts';

/** Sends to one destination as it is configured, one notice after another. It retries nothing: its queue does. */
export interface Sender {
  /** Resolves when the recipient's server accepted the notice. @throws SendFailure */
  send(notice: Notice, signal: AbortSignal): Promise<void>;
  /** The problem of a connection that stays open; null: it works; `undefined`: not known, or there is none. */
  readonly problem?: string | null | undefined;
  close(): Promise<void>;
}

export interface SenderDeps {
  readonly guard: Guard;
  readonly zones: Pick<ZoneStates, 'of'>;
  /** The reads of the writer. */
  readonly reads: AreaReads;
  /** The origin of `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
  /** RFC 8292: a key pair of P-256, base64url. */
  readonly vapid: () => Promise<{ readonly publicKey: string; readonly privateKey: string }>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly now: () => UpstreamInstant;
}

/**
 * All but `gone` are tried again. `retry`: the destination cannot be reached, or is busy. `failed`: it may fail at this
 * notice alone. `partly`: some of its recipients accepted the notice, so others need not wait. `gone`: it accepts no
 * notice any more.
 */
export type SendFailureKind = 'retry' | 'failed' | 'partly' | 'gone';

export class SendFailure extends Error {
  readonly kind: SendFailureKind;
  /** The wait that the destination asked for. */
  readonly retryAfterMs: number | undefined;

  /** @param message a sentence for admins, without secrets */
  constructor(kind: SendFailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

const SENDS_WITHIN_MS = 10 * SECOND_MS;

/** Ends `send` after 10 s. @throws SendFailure for every error */
export async function attempt(
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<void>,
  withinMs = SENDS_WITHIN_MS,
): Promise<void> {
  const sending = deadline(signal, withinMs);
  try {
    await unlessAborted(send(sending.signal), sending.signal);
  } catch (error) {
    if (error instanceof SendFailure) throw error;
    if (signal.aborted) throw new SendFailure('retry', 'Lookout interrupted it.');
    if (sending.signal.aborted) throw new SendFailure('retry', `It did not answer within ${withinMs / SECOND_MS} s.`);
    throw new SendFailure('retry', connectionProblem(error));
  } finally {
    sending.end();
  }
}

const LEFT_OUT = 'Its addresses that are neither public nor listed in OUTPUT_PRIVATE_ADDRESSES were left out.';

/** A sentence for admins. An unknown error gives only its code: its text may contain secrets. */
export function connectionProblem(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const clause = connectionClause(error, 'the connection failed');
  const sentence = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
  return error instanceof Unreachable && error.isPartial ? `${sentence} ${LEFT_OUT}` : sentence;
}
