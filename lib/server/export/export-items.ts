// The content of an export, item by item: positions as they were received, live, of trails or of the past, and gaps with
// their reasons. It requests nothing: callers pass answers and loads.
import 'server-only';
import type { LiveAnswer, LiveRecord } from '#lib/api/live-answer.ts';
import type { TrailsAnswer } from '#lib/api/trails-answer.ts';
import { isShown, type TrackFilter, verdictOn } from '#lib/filter/track-filter.ts';
import { type Bbox, bboxContains, joinAtAntimeridian } from '#lib/geo/bbox.ts';
import { boxFromCorners } from '#lib/geo/corners.ts';
import { emergencyClass } from '#lib/model/emergency.ts';
import { LAYERS, type Layer } from '#lib/model/position.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, RECORD_FIELDS } from '#lib/model/record-fields.ts';
import type { LoadEvent } from '../history/history-load.ts';
import { historyRecordsOf } from '../history/history-stream.ts';

/** Both ends are RFC 3339; `end` is exclusive. */
export interface ExportWindow {
  readonly start: string;
  readonly end: string;
}

export interface ExportedPositions {
  readonly kind: 'positions';
  /** Only `TRAIL_FIELDS` of a `trail` are kept. */
  readonly row: 'position' | 'trail';
  readonly layer: Layer;
  /** False if this place and time had more positions than could be read. */
  readonly complete: boolean;
  readonly records: readonly LiveRecord[];
}

interface ExportedGap {
  readonly kind: 'gap';
  readonly layer: Layer;
  /** The box may cross 180°. */
  readonly bbox: Bbox;
  /** `undefined` for live positions. */
  readonly window: ExportWindow | undefined;
  readonly reason: string;
}

export type ExportItem = ExportedPositions | ExportedGap;

export interface ExportSelection {
  readonly bbox: Bbox;
  readonly filter: TrackFilter;
}

/** The present positions of an area, and what is missing of them. */
export function* liveItems(answer: LiveAnswer, selection: ExportSelection): Generator<ExportItem> {
  const atMs = Date.parse(answer.as_of);
  const whole = joinAtAntimeridian(answer.covered.map(boxFromCorners));
  for (const layer of LAYERS) {
    const of = answer.layers[layer];
    if (!of) continue;
    const complete = !of.partial && of.gaps.length === 0 && of.unreadable === 0;
    const records = of.records.filter((record) => isSelected(record, selection, atMs));
    yield { kind: 'positions', row: 'position', layer, complete, records };
    for (const { bbox, reason } of of.gaps)
      yield { kind: 'gap', layer, bbox: boxFromCorners(bbox), window: undefined, reason };
    // A layer that failed or is paused: its positions are old or missing.
    if (of.reason !== null && of.gaps.length === 0 && whole)
      yield { kind: 'gap', layer, bbox: whole, window: undefined, reason: of.reason };
  }
}

const RECORDS_AT_ONCE = 1000;

/** The earlier positions of selected tracks, in parts: all at once would be hundreds of megabytes. */
export function* trailItems(answer: TrailsAnswer, items: readonly ExportItem[]): Generator<ExportItem> {
  for (const item of items) {
    if (item.kind !== 'positions') continue;
    const of = answer.layers[item.layer];
    if (!of) continue;
    const liveByReference = new Map(item.records.map((record) => [record.public_track_id, record]));
    const isWholeTime = of.since !== null && Date.parse(of.since) <= Date.parse(answer.as_of) - answer.kept_ms;
    const complete = isWholeTime && of.shortened === null;
    let records: LiveRecord[] = [];
    const taken = () => ({ kind: 'positions', row: 'trail', layer: item.layer, complete, records }) as const;
    for (const { public_track_id, positions } of of.trails) {
      const live = liveByReference.get(public_track_id);
      if (!live) continue;
      for (const { altitude_m = null, height_agl_m = null, ...place } of positions)
        if (place.observed_at !== live.observed_at) records.push({ ...live, altitude_m, height_agl_m, ...place });
      if (records.length < RECORDS_AT_ONCE) continue;
      yield taken();
      records = [];
    }
    yield taken();
  }
}

/** The positions of a window of the past, part by part as they are loaded, and then what is missing of them. */
export async function* pastItems(
  events: AsyncIterable<LoadEvent>,
  selection: ExportSelection,
): AsyncGenerator<ExportItem> {
  // An observation on the edge between two boxes is in both parts.
  const onEdges = new Set<string>();
  const isRepeated = (
    { public_track_id, observed_at, longitude, latitude }: LiveRecord,
    { west, east, south, north }: Bbox,
  ) => {
    if (longitude !== west && longitude !== east && latitude !== south && latitude !== north) return false;
    const key = `${public_track_id} ${observed_at}`;
    if (onEdges.has(key)) return true;
    onEdges.add(key);
    return false;
  };
  for await (const event of events) {
    if (event.kind === 'part') {
      const { part } = event;
      const records = (await historyRecordsOf(part)).filter(
        (record) => isSelected(record, selection, Date.parse(record.observed_at)) && !isRepeated(record, part.bbox),
      );
      yield {
        kind: 'positions',
        row: 'position',
        layer: part.layer,
        complete: !part.truncated && part.unreadable === 0,
        records,
      };
    } else if (event.line.type === 'end') {
      for (const layer of LAYERS) {
        const { gaps = [], reception = [] } = event.line.layers[layer] ?? {};
        for (const { bbox, start, end, reason } of [...gaps, ...reception])
          yield { kind: 'gap', layer, bbox: boxFromCorners(bbox), window: { start, end }, reason };
      }
    }
  }
}

function isSelected(record: LiveRecord, { bbox, filter }: ExportSelection, atMs: number): boolean {
  if (!bboxContains(bbox, record.longitude, record.latitude)) return false;
  const verdict = verdictOn(
    filter,
    {
      flags:
        (record.track_kind === 'drone' ? FLAG_DRONE : 0) |
        (record.simulated ? FLAG_SIMULATED : 0) |
        (record.test_broadcast ? FLAG_TEST : 0),
      observedAtMs: Date.parse(record.observed_at),
      lon: record.longitude,
      lat: record.latitude,
      isEmergency: emergencyClass(record.emergency_state ?? undefined) === 'emergency',
      confidence: record.confidence ?? undefined,
      measure: (name) => record[RECORD_FIELDS[name].wire] ?? Number.NaN,
    },
    atMs,
    bbox,
  );
  return isShown(filter, verdict);
}
