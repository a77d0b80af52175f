// The status of a service with receivers, read over its socket: what they receive, and where the map opens over it. A reader
// never rejects: it answers with the last status and the cause of the failure.
import 'server-only';
import { request } from 'node:http';
import { z } from 'zod';
import { type HourSpan, type HoursAnswer, hoursReportSchema } from '#lib/api/receivers/receiver-hours.ts';
import {
  type ReceiversAnswer,
  type ReceiversReport,
  receiversReportSchema,
  type UnreadCause,
} from '#lib/api/receivers/receivers-answer.ts';
import { Coalesced } from '#lib/async/coalesced.ts';
import { HOME_ZOOM } from '#lib/geo/zoom-limits.ts';
import { formatLocalInstant, type LocalInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** The service answers from memory. */
const TIMEOUT_MS = 2 * SECOND_MS;
/** Thirty days of a hundred stations take 4 MB. */
const HOURS_MAX_BYTES = 8 * 1024 * 1024;

export class ReceiversReader {
  readonly #socket: string;
  readonly #now: () => LocalInstant;
  readonly #timeoutMs: number;
  #status: ReceiversReport | undefined;
  /** The time of the first failure since the last success. */
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

const viewSchema = z.object({
  view: z
    .object({
      lat: z.number().min(-90).max(90),
      lon: z.number().min(-180).max(180),
      zoom: z.number().min(HOME_ZOOM.min).max(HOME_ZOOM.max),
    })
    .nullable(),
});

export interface HomeView {
  readonly lat: number;
  readonly lon: number;
  readonly zoom: number;
}

/** The time is short, since pages wait for the view. */
const VIEW_TIMEOUT_MS = 500;

/** Where the map opens: where the service's receivers receive, or where the settings say. */
export class ReceivedHome {
  readonly #socket: string | undefined;
  #latest: HomeView;

  /** @param fallback until something was received */
  constructor(socket: string | undefined, fallback: HomeView) {
    this.#socket = socket;
    this.#latest = fallback;
  }

  /** Never rejects: falls back to the latest view. */
  async view(): Promise<HomeView> {
    if (this.#socket === undefined) return this.#latest;
    try {
      const { view } = viewSchema.parse(JSON.parse(await statusText(this.#socket, { timeoutMs: VIEW_TIMEOUT_MS })));
      if (view !== null) this.#latest = view;
    } catch {
      // The page's notices say that the service is down.
    }
    return this.#latest;
  }
}

interface StatusRequest {
  readonly timeoutMs: number;
  readonly target?: string;
  readonly maxBytes?: number;
}

/** A hundred feeds take a fraction of this. */
const STATUS_MAX_BYTES = 1024 * 1024;

/** @throws RangeError if it is too long; TimeoutError if it is not complete after `timeoutMs`; the socket's error */
function statusText(
  socketPath: string,
  { timeoutMs, target = '/', maxBytes = STATUS_MAX_BYTES }: StatusRequest,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const failed = (error: unknown) => reject(signal.aborted ? signal.reason : error);
    const asking = request({ socketPath, path: target, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxBytes) response.destroy(new RangeError('the answer is longer than any status'));
        else chunks.push(chunk);
      });
      response.once('error', failed);
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    asking.once('error', failed);
    asking.end();
  });
}
