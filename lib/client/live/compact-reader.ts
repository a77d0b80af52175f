import { type AreaPart, type CompactHead, compactHeadSchema, formatSince } from '#lib/api/compact-answer.ts';
import { applyDelta, decodeFull } from '#lib/codec/frame/decode-frame.ts';
import { splitHead } from '#lib/codec/json-head.ts';
import { type QuantisedRecords, valueAt } from '#lib/codec/quantised-records.ts';
import { columnsOf, type RecordColumns } from '#lib/codec/record-columns.ts';
import { type Bbox, bboxContains } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { inflate } from '../request/inflate.ts';
import { layerFrame, viewFrame } from './frame-from-head.ts';
import type { LayerFrame, LiveFrame } from './live-frame.ts';

/** A query has to stay short; areas beyond are sent in full. */
const SINCE_MAX_CHARACTERS = 1500;
/** A body of a whole area is far smaller; more is no answer of ours. */
const BODY_MAX_BYTES = 64 * 1024 * 1024;

interface KnownArea {
  readonly sequence: number;
  readonly records: QuantisedRecords;
  /** Where its records were last shown. */
  readonly regions: string;
}

/** What an answer did to an area: which of its records are new or differ; `undefined`: all may. */
interface UpdatedArea extends KnownArea {
  readonly changed: Uint32Array | undefined;
}

/**
 * Reads the compact form of `/api/live`. It holds what it read of each area, so that the server sends only what changed, and
 * gives on only what changed for whoever took over the frame before.
 */
export class CompactReader {
  #areas: ReadonlyMap<string, KnownArea> = new Map();
  #latest: { readonly id: number; readonly query: string } | undefined;

  /** What is held, for the `since` parameter; `undefined` where that is nothing. */
  since(): string | undefined {
    const sequences = Array.from(this.#areas, ([area, { sequence }]) => [area, sequence] as const);
    let since = formatSince(new Map(sequences));
    while (since.length > SINCE_MAX_CHARACTERS) since = since.slice(0, since.lastIndexOf(','));
    return since === '' ? undefined : since;
  }

  /**
   * @param id names this frame @param query what was asked for: another view needs everything
   * @param taken the frame that was taken over last
   * @throws Error where the answer is damaged; everything is asked for anew then
   */
  async read(
    answer: ArrayBuffer,
    { id, query, taken, delayMs }: { id: number; query: string; taken: number | undefined; delayMs: number },
  ): Promise<LiveFrame> {
    const buildsOnLatest = this.#latest?.query === query && this.#latest.id === taken;
    const { head, bodies } = readAnswer(answer);
    const areas = new Map<string, KnownArea>();
    const layers: Partial<Record<'rid' | 'adsb', LayerFrame>> = {};
    try {
      for (const layer of ['rid', 'adsb'] as const) {
        const answered = head.layers[layer];
        if (!answered) continue;
        const records: RecordColumns[] = [];
        for (const part of answered.parts) {
          const held = this.#areas.get(part.area);
          const updated = await updateArea(part, held, bodies);
          areas.set(part.area, updated);
          const isSamePlace = held?.regions === updated.regions;
          records.push(shownRecords(part, updated, buildsOnLatest && isSamePlace ? updated.changed : undefined));
        }
        layers[layer] = layerFrame(answered, records);
      }
    } catch (error) {
      this.#areas = new Map();
      this.#latest = undefined;
      throw error;
    }
    this.#areas = areas;
    this.#latest = { id, query };
    return { ...viewFrame(head, delayMs), layers };
  }
}

async function updateArea(part: AreaPart, held: KnownArea | undefined, bodies: BodyReader): Promise<UpdatedArea> {
  const regions = JSON.stringify(part.regions);
  const { sequence } = part;
  if (!part.deltas) {
    const [bytes] = part.bodies;
    if (bytes === undefined) throw new Error('an area has no frame');
    return { sequence, regions, records: decodeFull(await bodies(bytes)), changed: undefined };
  }
  if (!held) throw new Error('a delta came for an area that is not held');
  let { records } = held;
  let changed: Uint32Array | undefined = new Uint32Array(0);
  for (const [index, bytes] of part.bodies.entries()) {
    const applied = applyDelta(records, await bodies(bytes));
    records = applied.records;
    // Indexes hold for one step; after several everything is looked at again, and what is the same stays the same.
    changed = index === 0 ? applied.changed : undefined;
  }
  return { sequence, regions, records, changed };
}

function shownRecords(part: AreaPart, { records }: UpdatedArea, among: Uint32Array | undefined): RecordColumns {
  const shown = recordsWithin(records, part.regions.map(boxFromCorners), among);
  return columnsOf(records, shown);
}

type BodyReader = (bytes: number) => Promise<Uint8Array>;

/** @throws Error where it is not the compact form */
function readAnswer(answer: ArrayBuffer): { head: CompactHead; bodies: BodyReader } {
  const { head, end } = splitHead(new Uint8Array(answer));
  let at = end;
  return {
    head: compactHeadSchema.parse(head),
    bodies: async (bytes) => {
      if (at + bytes > answer.byteLength) throw new Error('the answer is cut');
      const body = new Uint8Array(answer, at, bytes);
      at += bytes;
      return inflate(body, BODY_MAX_BYTES);
    },
  };
}

/**
 * Indexes of the records that lie in one of the boxes.
 * @param among only these; `undefined`: all
 */
function recordsWithin(records: QuantisedRecords, boxes: readonly Bbox[], among: Uint32Array | undefined): Uint32Array {
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
