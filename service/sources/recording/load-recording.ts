import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Layer } from '#lib/contract/operation.ts';
import { buildRecording } from './build-recording.ts';
import { type RecordedPosition, readRecordingLine } from './read-recording-line.ts';
import type { Recording } from './recording.ts';

/** A recording, and how many lines of its file were skipped. */
export interface LoadedRecording {
  readonly recording: Recording;
  /** Malformed lines; they are skipped. */
  readonly badLines: number;
  /** Lines of a sender without a position fix. */
  readonly linesWithoutPosition: number;
}

/** A file that can't be played; the message says which one and why. */
export class RecordingError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = 'RecordingError';
  }
}

/** Reads a gzipped JSON Lines file whose name gives the layer (`adsb-…` or `rid-…`). Rejects with a RecordingError. */
export async function loadRecording(file: string): Promise<LoadedRecording> {
  const layer = layerOf(file);
  const positions: RecordedPosition[] = [];
  let badLines = 0;
  let linesWithoutPosition = 0;
  for (const text of linesOf(await textOf(file))) {
    const line = readRecordingLine(text, layer);
    if (line === 'bad') badLines += 1;
    else if (line === 'no-position') linesWithoutPosition += 1;
    else positions.push(line);
  }
  if (positions.length === 0) throw new RecordingError(file, 'it contains no positions');
  return { recording: buildRecording(file, layer, positions), badLines, linesWithoutPosition };
}

function layerOf(file: string): Layer {
  const name = basename(file);
  if (name.startsWith('adsb-')) return 'adsb';
  if (name.startsWith('rid-')) return 'rid';
  throw new RecordingError(file, 'the file name must begin with adsb- or rid-, which gives the layer');
}

/** Ten times a day of a busy receiver. Above it the text would not fit into one Node string. */
const TEXT_MAX_BYTES = 400_000_000;

async function textOf(file: string): Promise<string> {
  try {
    const unzipped = await promisify(gunzip)(await readFile(file), { maxOutputLength: TEXT_MAX_BYTES });
    return unzipped.toString('utf8');
  } catch (failure) {
    throw new RecordingError(file, reasonOf(failure));
  }
}

function reasonOf(failure: unknown): string {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'no such file';
    case 'Z_DATA_ERROR':
      return 'it is not gzipped, or it is damaged';
    case 'Z_BUF_ERROR':
      return 'the gzipped data ends too early';
    case 'ERR_BUFFER_TOO_LARGE':
      return `it is longer than ${TEXT_MAX_BYTES} bytes unzipped`;
    default:
      return `it can't be read (${failure instanceof Error ? failure.message : String(failure)})`;
  }
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) yield text.slice(start, end);
    start = end + 1;
  }
}
