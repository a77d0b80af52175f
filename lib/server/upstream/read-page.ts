import 'server-only';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { envelopeSchema } from '#lib/contract/envelope.ts';
import { publicReferencePattern } from '#lib/contract/public-reference.ts';
import { pastReceptionSchema, RECEPTION_STRETCHES_MAX, receptionSchema } from '#lib/contract/reception.ts';
import { type WirePosition, wirePositionSchema } from '#lib/contract/wire-position.ts';
import type { Position } from '#lib/model/position.ts';
import type { Reception, ReceptionStretch } from '#lib/model/reception.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { BodyWorker } from './body-worker.ts';
import { type SlimBody, type SlimTerms, slimBody } from './slim-body.ts';
import { toPosition, unreadableValues as unreadableValuesOf } from './to-position.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** Raise it with any change after which an answer gives other records or reception: older parts of the past are then read again. */
export const READER_VERSION = 3;

export interface Page {
  readonly positions: readonly Position[];
  /** Dropped, because they broke the contract. */
  readonly unreadable: number;
  /** Nothing is known of the place. */
  readonly isUnreadable: boolean;
  /** Optional values that broke the contract and count as not reported. */
  readonly unreadableValues: number;
  readonly nextCursor: string | undefined;
  /** The next page's cursor breaks the contract. */
  readonly cursorUnusable: boolean;
  readonly generatedAt: UpstreamInstant;
  readonly requestId: string;
  readonly truncated: boolean;
  /** Of a live page; `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
  /** Of a history page; empty where the upstream reports none. */
  readonly receptionStretches?: readonly ReceptionStretch[];
}

export type PageRead =
  | { readonly kind: 'page'; readonly page: Page }
  | {
      readonly kind: 'unusable';
      /** `service_unreachable`: the body is not the service's, such as a login page with status 200. */
      readonly reason: Extract<FailureReason, 'service_unreachable' | 'answer_unreadable' | 'answer_too_large'>;
    };

/**
 * Larger bodies are parsed in a worker thread. Two busy cores parse the slowest input, nested brackets, at 5 to 8
 * kB/ms: a smaller body delays other answers by at most 10 ms.
 */
const WORKER_MIN_BYTES = 64 * 1024;
/** Ten times the texts of 1000 usual records. */
const SLIM_MAX_CHARACTERS = 1024 * 1024;

/** Fifteen times the contract's fields in 1000 records. Under 100 MB: an exhausted heap would end the whole process. */
const SLIM_MAX_TOKENS = 250_000;

/** An invalid record is dropped alone. */
export class PageReader {
  readonly #positionSchema: ReturnType<typeof wirePositionSchema>;
  readonly #requiredFields: readonly string[];
  readonly #terms: Omit<SlimTerms, 'limit'>;
  readonly #cursorPattern: RegExp;
  readonly #worker = new BodyWorker();

  constructor(trackPrefix: string | undefined) {
    this.#positionSchema = wirePositionSchema(trackPrefix);
    const recordFields = Object.keys(this.#positionSchema.shape);
    this.#requiredFields = recordFields.filter((name) => name !== 'stale_after');
    this.#cursorPattern = publicReferencePattern(trackPrefix);
    this.#terms = {
      recordFields,
      envelopeFields: Object.keys(envelopeSchema.shape),
      maxStretches: RECEPTION_STRETCHES_MAX,
      maxCharacters: SLIM_MAX_CHARACTERS,
      maxTokens: SLIM_MAX_TOKENS,
    };
  }

  async close(): Promise<void> {
    await this.#worker.close();
  }

  /** @param body may be empty afterwards */
  async read(
    body: Buffer<ArrayBuffer>,
    { mode, layer, limit }: Pick<UpstreamRequest, 'mode' | 'layer' | 'limit'>,
  ): Promise<PageRead> {
    const slim = await this.#slim(body, { ...this.#terms, limit });
    if (slim.kind === 'too-large') return unusable('answer_too_large');
    if (slim.kind === 'not-json') return unusable(slim.beginsLikeJson ? 'answer_unreadable' : 'service_unreachable');
    const { json } = slim;
    const envelope = envelopeSchema.safeParse(json);
    if (!envelope.success) return unusable(isOfService(json) ? 'answer_unreadable' : 'service_unreachable');
    if (envelope.data.mode !== mode || envelope.data.layer !== layer) return unusable('answer_unreadable');
    const positions: Position[] = [];
    const records = envelope.data.data;
    let unreadable = 0;
    let unreadableValues = 0;
    for (const record of records) {
      const wire = this.#wirePosition(record);
      if (!wire) {
        unreadable++;
        continue;
      }
      const position = toPosition(wire);
      if (!position) continue;
      positions.push(position);
      unreadableValues += unreadableValuesOf(wire);
    }
    const cursor = envelope.data.next_cursor ?? undefined;
    const cursorUnusable = cursor !== undefined && !this.#cursorPattern.test(cursor);
    const page: Page = {
      positions,
      unreadable,
      isUnreadable: unreadable > 0 && unreadable === records.length,
      unreadableValues,
      nextCursor: cursorUnusable ? undefined : cursor,
      cursorUnusable,
      generatedAt: instantOf(envelope.data.generated_at),
      requestId: envelope.data.request_id,
      truncated: envelope.data.truncated,
      reception: mode === 'live' ? receptionOf(envelope.data.reception) : undefined,
      receptionStretches: mode === 'history' ? stretchesOf(envelope.data.reception) : [],
    };
    return { kind: 'page', page };
  }

  #slim(body: Buffer<ArrayBuffer>, terms: SlimTerms): SlimBody | Promise<SlimBody> {
    return body.byteLength < WORKER_MIN_BYTES ? slimBody(body, terms) : this.#worker.slim(body, terms);
  }

  /** Zod takes ten times as long for a fault: incomplete records are dropped before. */
  #wirePosition(record: unknown): WirePosition | undefined {
    if (typeof record !== 'object' || record === null) return undefined;
    for (const name of this.#requiredFields) if (!Object.hasOwn(record, name)) return undefined;
    return this.#positionSchema.safeParse(record).data;
  }
}

function unusable(reason: Extract<PageRead, { kind: 'unusable' }>['reason']): PageRead {
  return { kind: 'unusable', reason };
}

/** Other APIs do not name a request and list data. */
function isOfService(json: unknown): boolean {
  const { request_id, data } = (json ?? {}) as { request_id?: unknown; data?: unknown };
  return typeof request_id === 'string' && Array.isArray(data);
}

/** An addition to the contract: one that cannot be read counts as not reported. */
function receptionOf(reported: unknown): Reception | undefined {
  const { data } = receptionSchema.safeParse(reported);
  return data && { ...data, since: data.since === null ? undefined : instantOf(data.since) };
}

function stretchesOf(reported: unknown): readonly ReceptionStretch[] {
  const { data } = pastReceptionSchema.safeParse(reported);
  const stretches = data?.stretches.map(({ from, to, state }) => ({ from: instantOf(from), to: instantOf(to), state }));
  const isInOrder = stretches?.every(({ from, to }, index) => {
    const before = stretches[index - 1];
    return from < to && (!before || before.to <= from);
  });
  return stretches && isInOrder ? stretches : [];
}
