import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import type { Layer } from '#lib/contract/operation.ts';
import { buildRecording } from './build-recording.ts';
import { type RecordedPosition, readRecordingLine } from './read-recording-line.ts';
import type { Recording } from './recording.ts';

export interface LoadedRecording {
  readonly recording: Recording;
  readonly isCut: boolean;
  /** Of a wrong type, each null. */
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

/** Rejects with a RecordingError. */
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

/** Ten days of a busy receiver. */
const TEXT_MAX_BYTES = 400_000_000;

const CUT = 'the gzipped data ends too early';
/** Lines end in \n, \r\n or \r. Skips a byte order mark. */
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
      return `it can't be read (${failure instanceof Error ? failure.message : String(failure)})`;
  }
}

function codeOf(failure: unknown): unknown {
  return failure instanceof Error && 'code' in failure ? failure.code : undefined;
}
