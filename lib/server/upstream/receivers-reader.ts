import 'server-only';
import { type HourSpan, type HoursAnswer, hoursReportSchema } from '#lib/api/receivers/receiver-hours.ts';
import {
  type ReceiversAnswer,
  type ReceiversReport,
  receiversReportSchema,
  type UnreadCause,
} from '#lib/api/receivers/receivers-answer.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { statusText } from './status-text.ts';

/** The service answers from memory. */
const TIMEOUT_MS = 2 * SECOND_MS;
/** Thirty days of a hundred stations take 4 MB. */
const HOURS_MAX_BYTES = 8 * 1024 * 1024;

export class ReceiversReader {
  readonly #socket: string;
  readonly #now: () => LocalInstant;
  readonly #timeoutMs: number;
  #status: ReceiversReport | undefined;
  /** First failure since the last success. */
  #failedAt: string | undefined;
  readonly #reads = new Coalesced(() => this.#request());

  constructor(socket: string, now: () => LocalInstant, timeoutMs = TIMEOUT_MS) {
    this.#socket = socket;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /** Concurrent callers share one request. Never rejects: on a failure, the last status with the cause. */
  read(): Promise<ReceiversAnswer> {
    return this.#reads.join();
  }

  /** Never rejects. */
  async readHours(hours: HourSpan): Promise<HoursAnswer> {
    const query = { timeoutMs: this.#timeoutMs, target: `/hours?last=${hours}`, maxBytes: HOURS_MAX_BYTES };
    try {
      const report = hoursReportSchema.parse(JSON.parse(await statusText(this.#socket, query)));
      return { as_of: formatLocalInstant(this.#now()), report, failure: null };
    } catch (error) {
      return { as_of: formatLocalInstant(this.#now()), report: null, failure: causeOf(error) };
    }
  }

  async #request(): Promise<ReceiversAnswer> {
    let cause: UnreadCause | undefined;
    try {
      this.#status = receiversReportSchema.parse(
        JSON.parse(await statusText(this.#socket, { timeoutMs: this.#timeoutMs })),
      );
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
