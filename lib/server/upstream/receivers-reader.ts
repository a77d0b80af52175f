import 'server-only';
import {
  type ReceiversAnswer,
  type ReceiversReport,
  receiversReportSchema,
  type UnreadCause,
} from '#lib/api/receivers-answer.ts';
import { formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { statusText } from './status-text.ts';

/** The service answers from memory. */
const TIMEOUT_MS = 2 * SECOND_MS;

export class ReceiversReader {
  readonly #socket: string;
  readonly #now: () => LocalInstant;
  readonly #timeoutMs: number;
  #status: ReceiversReport | undefined;
  /** First failure since the last success. */
  #failedAt: string | undefined;
  #underway: Promise<ReceiversAnswer> | undefined;

  constructor(socket: string, now: () => LocalInstant, timeoutMs = TIMEOUT_MS) {
    this.#socket = socket;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /** Concurrent callers share one request. Never rejects: on a failure, the last status with the cause. */
  read(): Promise<ReceiversAnswer> {
    this.#underway ??= this.#ask().finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  async #ask(): Promise<ReceiversAnswer> {
    let cause: UnreadCause | undefined;
    try {
      this.#status = receiversReportSchema.parse(JSON.parse(await statusText(this.#socket, this.#timeoutMs)));
      this.#failedAt = undefined;
    } catch (error) {
      cause = causeOf(error);
    }
    const asOf = formatLocalInstant(this.#now());
    if (cause !== undefined) this.#failedAt ??= asOf;
    return {
      as_of: asOf,
      status: this.#status ?? null,
      failure: cause === undefined ? null : { cause, since: this.#failedAt ?? asOf },
    };
  }
}

const CAUSES: Readonly<Record<string, UnreadCause>> = {
  ENOENT: 'not_running',
  ECONNREFUSED: 'not_running',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  ECONNRESET: 'no_answer',
  EPIPE: 'no_answer',
  TimeoutError: 'no_answer',
};

function causeOf(error: unknown): UnreadCause {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return CAUSES[String(code)] ?? CAUSES[String(name)] ?? 'unreadable';
}
