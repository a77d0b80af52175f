import type { Layer } from '#lib/contract/operation.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import type { RecordedPosition } from './read-recording-line.ts';
import type { Recording } from './recording.ts';

/** A longer silence is not played, and ends tracks. */
const SESSION_BREAK_MS = HOUR_MS;

/** Expires every position of either layer. */
const BREAK_KEPT_MS = 120_000;

/** From positions in any order; the last one of an id and time is kept. */
export function buildRecording(name: string, layer: Layer, positions: readonly RecordedPosition[]): Recording {
  const rows = keepLastOfSameStamp(positions.toSorted((a, b) => a.t - b.t));
  const column = (value: (position: RecordedPosition) => number | null) =>
    Float64Array.from(rows, (position) => value(position) ?? Number.NaN);
  const { offsetMs, track, trackIds } = placeInTime(rows);
  return {
    name,
    layer,
    rowCount: rows.length,
    trackIds,
    offsetMs,
    track,
    lon: column(({ lon }) => lon),
    lat: column(({ lat }) => lat),
    altitudeM: column(({ altitudeM }) => altitudeM),
    heightAglM: column(({ heightAglM }) => heightAglM),
    speedMps: column(({ speedMps }) => speedMps),
    headingDeg: column(({ headingDeg }) => headingDeg),
    ...indexByTrack(track, trackIds.length),
  };
}

function keepLastOfSameStamp(sortedByTime: readonly RecordedPosition[]): RecordedPosition[] {
  const kept: RecordedPosition[] = [];
  const placeOf = new Map<string, number>();
  let t = Number.NaN;
  for (const position of sortedByTime) {
    if (position.t !== t) {
      t = position.t;
      placeOf.clear();
    }
    const place = placeOf.get(position.id);
    if (place === undefined) placeOf.set(position.id, kept.push(position) - 1);
    else kept[place] = position;
  }
  return kept;
}

function placeInTime(rows: readonly RecordedPosition[]) {
  const offsetMs = new Float64Array(rows.length);
  const track = new Uint32Array(rows.length);
  const trackIds: string[] = [];
  let trackOf = new Map<string, number>();
  let session = 0;
  let cutMs = 0;
  for (const [row, { t, id }] of rows.entries()) {
    const silenceMs = row === 0 ? 0 : t - rows[row - 1]!.t;
    if (silenceMs > SESSION_BREAK_MS) {
      cutMs += silenceMs - BREAK_KEPT_MS;
      session += 1;
      trackOf = new Map();
    }
    let index = trackOf.get(id);
    if (index === undefined) {
      index = trackIds.push(`${session}/${id}`) - 1;
      trackOf.set(id, index);
    }
    offsetMs[row] = t - rows[0]!.t - cutMs;
    track[row] = index;
  }
  return { offsetMs, track, trackIds };
}

function indexByTrack(track: Uint32Array, trackCount: number) {
  const trackStart = new Uint32Array(trackCount + 1);
  for (const index of track) trackStart[index + 1]! += 1;
  for (let index = 0; index < trackCount; index += 1) trackStart[index + 1]! += trackStart[index]!;
  const next = trackStart.slice();
  const rowsByTrack = new Uint32Array(track.length);
  for (const [row, index] of track.entries()) {
    rowsByTrack[next[index]!] = row;
    next[index]! += 1;
  }
  return { trackStart, rowsByTrack };
}
