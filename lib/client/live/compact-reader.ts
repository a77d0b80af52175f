import { type AreaPart, type CompactHead, compactHeadSchema, formatSince } from '#lib/api/compact-answer.ts';
import type { LiveReason } from '#lib/api/layer-reason.ts';
import type { LayerState } from '#lib/api/layer-state.ts';
import type { ViewAnswer } from '#lib/api/live-answer.ts';
import { readApiAnswer } from '#lib/api/read-api-answer.ts';
import { decodeFrame } from '#lib/codec/frame.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { columnsOf, type RecordColumns } from '#lib/codec/record-columns.ts';
import { type Records, valueAt } from '#lib/codec/records.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Reception } from '#lib/model/reception.ts';
import { instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { inflate } from '../request/stream-chunks.ts';

/** An answer of `/api/live`, decoded: the view, and each layer's state with its new and changed records. */
export interface LiveFrame {
  readonly asOf: UpstreamInstant;
  /** The answer's age on arrival, which is half the round trip. */
  readonly delayMs: number;
  readonly nextPollMs: number;
  readonly requested: Bbox;
  readonly covered: readonly Bbox[];
  readonly capped: boolean;
  readonly layers: Partial<Readonly<Record<Layer, LayerFrame>>>;
}

export interface LayerFrame {
  readonly state: LayerState;
  readonly reason: LiveReason | undefined;
  readonly fetchedAt: UpstreamInstant | undefined;
  readonly failingSince: UpstreamInstant | undefined;
  readonly until: UpstreamInstant | undefined;
  readonly partial: boolean;
  readonly gaps: readonly { readonly bbox: Bbox; readonly reason: LiveReason }[];
  readonly unreadable: number;
  /** `undefined` where the service does not report it. */
  readonly reception: Reception | undefined;
  /** New and changed records by area; others are unchanged. */
  readonly records: readonly RecordColumns[];
}

/** Keeps the query short; areas that do not fit are sent in full. */
const SINCE_MAX_CHARACTERS = 1500;
/** No area has a body that is nearly as large. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;

interface KnownArea {
  readonly sequence: number;
  readonly records: Records;
  readonly regions: string;
}

interface UpdatedArea extends KnownArea {
  /** Indexes of the new and changed records; `undefined`: any record may have changed. */
  readonly changed: Uint32Array | undefined;
}

/**
 * Reads the compact form of `/api/live` into frames. Caches each area's records, and returns only changes if the page
 * acknowledged the previous frame.
 */
export class CompactReader {
  #areas: ReadonlyMap<string, KnownArea> = new Map();
  #latest: { readonly id: number; readonly query: string } | undefined;

  hasAnswered(query: string): boolean {
    return this.#latest?.query === query;
  }

  since(): string | undefined {
    const sequences = Array.from(this.#areas, ([area, { sequence }]) => [area, sequence] as const);
    let since = formatSince(new Map(sequences));
    while (since.length > SINCE_MAX_CHARACTERS) since = since.slice(0, since.lastIndexOf(','));
    return since === '' ? undefined : since;
  }

  /**
   * @param query a different view needs all records
   * @param acknowledged id of the last frame that the page applied
   * @param delayMs the answer's age
   * @throws Error if the answer is damaged; the cleared cache then requests everything again
   */
  async read(
    answer: ArrayBuffer,
    {
      id,
      query,
      acknowledged,
      delayMs,
    }: { id: number; query: string; acknowledged: number | undefined; delayMs: (heldMs: number) => number },
  ): Promise<LiveFrame> {
    const buildsOnLatest = this.#latest?.query === query && this.#latest.id === acknowledged;
    const { head, bodies } = openAnswer(answer);
    const areas = new Map<string, KnownArea>();
    const layers: Partial<Record<'rid' | 'adsb', LayerFrame>> = {};
    try {
      for (const layer of ['rid', 'adsb'] as const) {
        const answered = head.layers[layer];
        if (!answered) continue;
        const records: RecordColumns[] = [];
        for (const part of answered.parts) {
          const cached = this.#areas.get(part.area);
          const updated = await updateArea(part, cached, bodies);
          areas.set(part.area, updated);
          const isSameRegion = cached?.regions === updated.regions;
          records.push(shownRecords(part, updated, buildsOnLatest && isSameRegion ? updated.changed : undefined));
        }
        const { parts: _, ...state } = answered;
        layers[layer] = { ...readApiAnswer(state), records };
      }
    } catch (error) {
      this.#areas = new Map();
      this.#latest = undefined;
      throw error;
    }
    this.#areas = areas;
    this.#latest = { id, query };
    return { ...viewFrame(head, delayMs(head.held_ms)), layers };
  }
}

async function updateArea(part: AreaPart, cached: KnownArea | undefined, bodies: BodyReader): Promise<UpdatedArea> {
  const regions = JSON.stringify(part.regions);
  const { sequence } = part;
  if (!part.deltas) {
    const [bytes] = part.bodies;
    if (bytes === undefined) throw new Error('an area has no frame');
    return { sequence, regions, records: decodeFrame(await bodies(bytes)).records, changed: undefined };
  }
  if (!cached) throw new Error('received a delta for an area that is not cached');
  let { records } = cached;
  let changed: Uint32Array | undefined = new Uint32Array(0);
  for (const [index, bytes] of part.bodies.entries()) {
    const applied = decodeFrame(await bodies(bytes), records);
    records = applied.records;
    // Indexes are valid for one delta; after several the store detects unchanged records.
    changed = index === 0 ? applied.changed : undefined;
  }
  return { sequence, regions, records, changed };
}

function shownRecords(part: AreaPart, { records }: UpdatedArea, among: Uint32Array | undefined): RecordColumns {
  const shown = recordsWithin(records, part.regions.map(boxFromCorners), among);
  return columnsOf(records, shown);
}

type BodyReader = (bytes: number) => Promise<Uint8Array>;

function openAnswer(answer: ArrayBuffer): { head: CompactHead; bodies: BodyReader } {
  const { head, end } = splitHead(new Uint8Array(answer));
  let at = end;
  return {
    head: compactHeadSchema.parse(head),
    bodies: async (bytes) => {
      if (at + bytes > answer.byteLength) throw new Error('the answer is truncated');
      const body = new Uint8Array(answer, at, bytes);
      at += bytes;
      return inflate(body, BODY_MAX_BYTES);
    },
  };
}

function recordsWithin(records: Records, boxes: readonly Bbox[], among: Uint32Array | undefined): Uint32Array {
  const count = among?.length ?? records.count;
  const within = new Uint32Array(count);
  let found = 0;
  for (let at = 0; at < count; at++) {
    const index = among ? (among[at] as number) : at;
    const lon = valueAt(records, 'lon', index);
    const lat = valueAt(records, 'lat', index);
    if (boxes.some((box) => bboxContains(box, lon, lat))) within[found++] = index;
  }
  return within.subarray(0, found);
}

/** @param delayMs the answer's age on arrival */
function viewFrame(answer: ViewAnswer, delayMs: number): Omit<LiveFrame, 'layers'> {
  return {
    asOf: instantOf(answer.as_of),
    delayMs,
    nextPollMs: answer.next_poll_ms,
    requested: boxFromCorners(answer.requested),
    covered: answer.covered.map(boxFromCorners),
    capped: answer.capped,
  };
}
