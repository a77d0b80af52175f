import 'server-only';
import { Worker } from 'node:worker_threads';
import type { FailureReason } from '#lib/api/layer-reason.ts';
import { envelopeSchema } from '#lib/contract/envelope.ts';
import { publicReferencePattern } from '#lib/contract/public-reference.ts';
import {
  pastReceptionSchema,
  RECEPTION_PLACES_MAX,
  RECEPTION_STRETCHES_MAX,
  receptionSchema,
} from '#lib/contract/reception.ts';
import { isLabel, type WirePosition, wirePositionSchema } from '#lib/contract/wire-position.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { makePosition, type Position } from '#lib/model/position.ts';
import type { Reception, ReceptionStretch } from '#lib/model/reception.ts';
import {
  LABEL_NAMES,
  type LabelName,
  MAX_STEPS,
  MEASURE_NAMES,
  type NumberName,
  numberField,
  RECORD_FIELDS,
} from '#lib/model/record-fields.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** Raise it with any change after which an answer gives other records or reception: older parts of the past are then read again. */
export const READER_VERSION = 3;

export interface UpstreamPage {
  readonly positions: readonly Position[];
  /** Number of records that were dropped, because they broke the contract. */
  readonly unreadable: number;
  /** Whether nothing is known of the place. */
  readonly isUnreadable: boolean;
  /** Optional values that broke the contract and count as not reported. */
  readonly unreadableValues: number;
  readonly nextCursor: string | undefined;
  /** The next page's cursor breaks the contract. */
  readonly cursorUnusable: boolean;
  readonly generatedAt: UpstreamInstant;
  readonly requestId: string;
  readonly truncated: boolean;
  /** The reception of a live page; `undefined` where the upstream reports none. */
  readonly reception?: Reception | undefined;
  /** The reception of a history page; empty where the upstream reports none. */
  readonly receptionStretches?: readonly ReceptionStretch[];
}

export type PageRead =
  | { readonly kind: 'page'; readonly page: UpstreamPage }
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

/** Reads the body of an answer. It never throws: a hostile body costs bounded time and memory, and an invalid record is dropped alone. */
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
      maxPlaces: RECEPTION_PLACES_MAX,
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
      unreadableValues += unreadableValuesIn(wire);
    }
    const cursor = envelope.data.next_cursor ?? undefined;
    const cursorUnusable = cursor !== undefined && !this.#cursorPattern.test(cursor);
    const page: UpstreamPage = {
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
  if (!data) return undefined;
  const { places, ...whole } = data;
  const dated = <Of extends typeof whole>({ since, ...rest }: Of) => ({
    ...rest,
    since: since === null ? undefined : instantOf(since),
  });
  return {
    ...dated(whole),
    places: places?.map(({ bbox, ...place }) => ({ ...dated(place), bbox: boxFromCorners(bbox) })),
  };
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

/** 32 MiB of positions take about 1 s on two busy cores: far longer means a hostile body. */
const PARSE_MAX_MS = 5000;

/** The worker's source is a text, so that a build needs no extra file for it. */
const SOURCE = `
const { parentPort } = require('node:worker_threads');
const slimBody = ${slimBody.toString()};
parentPort.on('message', ({ body, terms }) => parentPort.postMessage(slimBody(body, terms)));
`;

/** Slims large bodies in a thread, one after the other. */
class BodyWorker {
  #worker: Worker | undefined;
  #latest: Promise<unknown> = Promise.resolve();

  /** @param body is empty afterwards: its memory goes to the thread */
  slim(body: Buffer<ArrayBuffer>, terms: SlimTerms): Promise<SlimBody> {
    const slim = this.#latest.then(() => this.#run(body, terms));
    this.#latest = slim;
    return slim;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #run(body: Buffer<ArrayBuffer>, terms: SlimTerms): Promise<SlimBody> {
    const worker = this.#started();
    const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
    return new Promise((resolve) => {
      const end = (slim: SlimBody) => {
        clearTimeout(timer);
        worker.off('message', end).off('error', giveUp).off('exit', giveUp);
        resolve(slim);
      };
      const giveUp = () => {
        this.#worker = undefined;
        // It never rejects.
        void worker.terminate();
        end({ kind: 'too-large' });
      };
      const timer = setTimeout(giveUp, PARSE_MAX_MS);
      worker.once('message', end).once('error', giveUp).once('exit', giveUp);
      worker.postMessage({ body: bytes, terms }, [bytes.buffer]);
    });
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(SOURCE, { eval: true });
    worker.on('error', () => undefined);
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}

/** A body reduced to the contract's fields, and `reception` with its list. `{}` replaces every other value that is no primitive. */
type SlimBody =
  | { readonly kind: 'slim'; readonly json: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-json'; readonly beginsLikeJson: boolean };

interface SlimTerms {
  readonly limit: number;
  readonly envelopeFields: readonly string[];
  readonly recordFields: readonly string[];
  /** How many stretches `reception` may have. */
  readonly maxStretches: number;
  /** How many places `reception` may have. */
  readonly maxPlaces: number;
  /** Characters of all values together. */
  readonly maxCharacters: number;
  /** Commas and opening brackets bound how many values JSON.parse makes. */
  readonly maxTokens: number;
}

/** Runs in a worker, as its source text: it must refer to nothing outside itself. */
function slimBody(body: Uint8Array, terms: SlimTerms): SlimBody {
  const { limit, envelopeFields, recordFields, maxStretches, maxPlaces, maxCharacters, maxTokens } = terms;
  let tokens = 0;
  for (const byte of body) {
    // , [ {
    if ((byte === 0x2c || byte === 0x5b || byte === 0x7b) && ++tokens > maxTokens) return { kind: 'too-large' };
  }
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'not-json', beginsLikeJson: /^\s*\{/.test(text.slice(0, 100)) };
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  let characters = 0;
  const picked = (from: Record<string, unknown>, names: readonly string[]) => {
    const to: Record<string, unknown> = {};
    for (const name of names) {
      if (!Object.hasOwn(from, name)) continue;
      const value = from[name];
      if (typeof value === 'string') characters += value.length;
      to[name] = typeof value === 'object' && value !== null ? {} : value;
    }
    return to;
  };
  if (!isObject(json)) return { kind: 'slim', json: null };
  const slim = picked(json, envelopeFields);
  if (isObject(json.reception)) {
    const { stretches, places } = json.reception;
    const counts = ['state', 'since', 'receivers', 'receiving', 'deaf'];
    const reception = picked(json.reception, counts);
    if (Array.isArray(places) && places.length <= maxPlaces)
      reception.places = places.map((each: unknown) =>
        isObject(each)
          ? { ...picked(each, counts), bbox: Array.isArray(each.bbox) ? each.bbox.slice(0, 5) : null }
          : null,
      );
    if (Array.isArray(stretches) && stretches.length <= maxStretches)
      reception.stretches = stretches.map((each: unknown) =>
        isObject(each) ? picked(each, ['from', 'to', 'state']) : null,
      );
    slim.reception = reception;
  }
  if (Array.isArray(json.data)) {
    if (json.data.length > limit) return { kind: 'too-large' };
    slim.data = json.data.map((record: unknown) => (isObject(record) ? picked(record, recordFields) : null));
  }
  return characters > maxCharacters ? { kind: 'too-large' } : { kind: 'slim', json: slim };
}

/** Malformed labels, and numbers too large for the compact form, count as not reported. */
export function unreadableValuesIn(wire: WirePosition): number {
  let count = 0;
  for (const name of LABEL_NAMES) if (isUnreadable(wire, name)) count++;
  for (const name of MEASURE_NAMES) if (isTooLarge(name, wire[RECORD_FIELDS[name].wire])) count++;
  return count;
}

/** The position of a record; `undefined` for Remote ID's "no position yet" (0, 0). */
export function toPosition(wire: WirePosition): Position | undefined {
  const isDrone = wire.track_kind === 'drone';
  if (isDrone && wire.longitude === 0 && wire.latitude === 0) return undefined;
  return makePosition(
    {
      ref: wire.public_track_id,
      kind: isDrone ? 'drone' : 'aircraft',
      observedAt: instantOf(wire.observed_at),
      staleAfter: wire.stale_after === undefined ? undefined : instantOf(wire.stale_after),
      lon: wire.longitude,
      lat: wire.latitude,
    },
    {
      measure: (name) => {
        const value = wire[RECORD_FIELDS[name].wire];
        const isUnknown = isDrone && value === numberField(name).unknownInRid;
        return value === null || isUnknown || isTooLarge(name, value) ? undefined : value;
      },
      label: (name) => (isUnreadable(wire, name) ? undefined : (wire[RECORD_FIELDS[name].wire] ?? undefined)),
      flag: (name) => wire[RECORD_FIELDS[name].wire],
    },
  );
}

function isUnreadable(wire: WirePosition, name: LabelName): boolean {
  const text = wire[RECORD_FIELDS[name].wire];
  return text !== null && !isLabel(text);
}

function isTooLarge(name: NumberName, value: number | null): boolean {
  return value !== null && Math.abs(value) * numberField(name).stepsPerUnit > MAX_STEPS;
}
