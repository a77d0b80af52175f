import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import type { Layer } from '#lib/contract/operation.ts';
import { errorMessage } from '#lib/text/error-message.ts';
import { epochMs, parseInstant } from '#lib/time/instant.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { mendObject } from '../../json/mend-object.ts';

/**
 * Rows are sorted by time; `offsetMs` counts from the first. NaN means "not recorded". Track i has the rows
 * `rowsByTrack[trackStart[i]]` … `rowsByTrack[trackStart[i + 1] - 1]`.
 */
export interface Recording {
  /** It keeps the ids of two recordings apart. */
  readonly name: string;
  readonly layer: Layer;
  readonly rowCount: number;
  readonly trackIds: readonly string[];
  readonly offsetMs: Float64Array;
  readonly track: Uint32Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly altitudeM: Float64Array;
  readonly heightAglM: Float64Array;
  readonly speedMps: Float64Array;
  readonly headingDeg: Float64Array;
  readonly trackStart: Uint32Array;
  readonly rowsByTrack: Uint32Array;
}

export function spanMs(recording: Recording): number {
  return recording.offsetMs[recording.rowCount - 1] ?? 0;
}

export interface LoadedRecording {
  readonly recording: Recording;
  readonly isCut: boolean;
  /** Values of a wrong type. Each is null in the recording. */
  readonly badValues: number;
  readonly badLines: number;
  readonly linesWithoutPosition: number;
}

export class RecordingError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = 'RecordingError';
  }
}

/**
 * Loads a gzipped JSON Lines file, which may be damaged: unreadable lines and values are counted and left out, and the
 * positions before a cut are kept. Rejects with a RecordingError for a file without any position.
 */
export async function loadRecording(file: string): Promise<LoadedRecording> {
  const layer = layerOf(file);
  const positions: RecordedPosition[] = [];
  let badLines = 0;
  let badValues = 0;
  let linesWithoutPosition = 0;
  const { text, isCut } = await textOf(file);
  const badValue = () => {
    badValues += 1;
  };
  for (const [lineText] of text.matchAll(LINES)) {
    const line = readRecordingLine(lineText, layer, badValue);
    if (line === 'bad') badLines += 1;
    else if (line === 'no-position') linesWithoutPosition += 1;
    else positions.push(line);
  }
  if (positions.length === 0) throw new RecordingError(file, isCut ? CUT : 'it contains no positions');
  return { recording: buildRecording(file, layer, positions), isCut, badValues, badLines, linesWithoutPosition };
}

function layerOf(file: string): Layer {
  const name = basename(file);
  if (name.startsWith('adsb-')) return 'adsb';
  if (name.startsWith('rid-')) return 'rid';
  throw new RecordingError(file, 'the file name must begin with adsb- or rid-, which gives the layer');
}

/** Ten days of a busy receiver have as much. */
const TEXT_MAX_BYTES = 400_000_000;

const CUT = 'the gzipped data ends too early';
/** Lines end in \n, \r\n or \r. A byte order mark is skipped. */
const LINES = /[^\r\n\uFEFF][^\r\n]*/g;

async function textOf(file: string): Promise<{ readonly text: string; readonly isCut: boolean }> {
  try {
    const zipped = await readFile(file);
    const unzipped = await unzip(zipped, constants.Z_FINISH).catch((failure) => {
      if (codeOf(failure) === 'Z_BUF_ERROR') return undefined;
      throw failure;
    });
    if (unzipped !== undefined) return { text: unzipped.toString('utf8'), isCut: false };
    // Rows before a cut are sound, but rows before damage may be wrong.
    return { text: (await unzip(zipped, constants.Z_SYNC_FLUSH)).toString('utf8'), isCut: true };
  } catch (failure) {
    throw new RecordingError(file, reasonOf(failure));
  }
}

const unzip = (zipped: Uint8Array, finishFlush: number): Promise<Buffer> =>
  promisify(gunzip)(zipped, { maxOutputLength: TEXT_MAX_BYTES, finishFlush });

function reasonOf(failure: unknown): string {
  switch (codeOf(failure)) {
    case 'ENOENT':
      return 'no such file';
    case 'Z_DATA_ERROR':
      return 'it is not gzipped, or it is damaged';
    case 'Z_BUF_ERROR':
      return CUT;
    case 'ERR_BUFFER_TOO_LARGE':
      return `it is longer than ${TEXT_MAX_BYTES} bytes unzipped`;
    default:
      return `it can't be read (${errorMessage(failure)})`;
  }
}

function codeOf(failure: unknown): unknown {
  return failure instanceof Error && 'code' in failure ? failure.code : undefined;
}

/** `t` is ms since 1970; `null` means "not recorded". */
interface RecordedPosition {
  readonly t: number;
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly altitudeM: number | null;
  readonly heightAglM: number | null;
  readonly speedMps: number | null;
  readonly headingDeg: number | null;
}

/** `no-position`: a sender without a fix, which reports 0,0. `bad`: a malformed line. */
type RecordingLine = RecordedPosition | 'no-position' | 'bad';

/** "Unknown" in Remote ID (ASTM F3411-22a). Some receivers record these as measured. */
const RID_UNKNOWN = { altitudeM: -1000, heightAglM: -1000, speedMps: 255, headingDeg: 361 };

/** `{t, id, lon, lat, alt_m, agl_m, gs_mps, trk_deg}`; other fields are ignored. */
function readRecordingLine(text: string, layer: Layer, badValue: (field: string) => void): RecordingLine {
  const read = mendObject(text);
  if (read === undefined) return 'bad';
  const line = read.object;
  const t = typeof line.t === 'string' ? parseInstant(line.t) : undefined;
  const { id, lon, lat } = line;
  if (t === undefined || typeof id !== 'string' || id === '') return 'bad';
  if (!isWithin(lon, -180, 180) || !isWithin(lat, -90, 90)) return 'bad';
  if (lon === 0 && lat === 0) return 'no-position';
  for (const field of read.unusable) badValue(field);
  const measured = (field: string, unknownInRid: number, min = -Infinity, max = Infinity) => {
    const value = line[field] ?? null;
    if (value === null || (layer === 'rid' && value === unknownInRid)) return null;
    if (isWithin(value, min, max) && Number.isFinite(value)) return value;
    badValue(field);
    return null;
  };
  return {
    t: epochMs(t),
    id,
    lon,
    lat,
    altitudeM: measured('alt_m', RID_UNKNOWN.altitudeM),
    heightAglM: measured('agl_m', RID_UNKNOWN.heightAglM),
    speedMps: measured('gs_mps', RID_UNKNOWN.speedMps, 0),
    headingDeg: measured('trk_deg', RID_UNKNOWN.headingDeg, 0, 360),
  };
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

/** A longer silence is not played, and ends tracks. */
const SESSION_BREAK_MS = HOUR_MS;

/** A longer silence is shortened to this, which expires every position of either layer. */
const BREAK_KEPT_MS = 120_000;

/** Positions may come in any order; the last one of an id and time is kept. */
function buildRecording(name: string, layer: Layer, positions: readonly RecordedPosition[]): Recording {
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
