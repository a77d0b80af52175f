import 'server-only';
import type { Logger } from 'pino';
import type { Notice } from '#lib/outputs/notice.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AreaReads } from '../../live/area-reads.ts';
import type { Guard } from '../guard/guard.ts';
import type { ZoneStates } from '../zone-states/zone-states.ts';

/** Of one destination as it is configured. Notices are sent one after another. */
export interface Sender {
  /** Resolves when the recipient's server accepted it. @throws SendFailure */
  send(notice: Notice, signal: AbortSignal): Promise<void>;
  /** Of a connection that stays open; null: it works; `undefined`: not known, or there is none. */
  readonly problem?: string | null | undefined;
  close(): Promise<void>;
}

export interface SenderDeps {
  readonly guard: Guard;
  readonly zones: Pick<ZoneStates, 'of'>;
  /** Of the writer. */
  readonly reads: AreaReads;
  /** `PUBLIC_URL`. */
  readonly publicOrigin: string | undefined;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly now: () => UpstreamInstant;
}

/**
 * All but `gone` are tried again. `retry`: the destination cannot be reached, or is busy. `failed`: perhaps at this notice
 * alone. `partly`: some of its recipients accepted the notice, so others need not wait. `gone`: it accepts none any more.
 */
export type SendFailureKind = 'retry' | 'failed' | 'partly' | 'gone';

export class SendFailure extends Error {
  readonly kind: SendFailureKind;
  /** As the destination asked. */
  readonly retryAfterMs: number | undefined;

  /** @param message a sentence for admins, without secrets */
  constructor(kind: SendFailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
