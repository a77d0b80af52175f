import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Layer } from '#lib/contract/operation.ts';
import { buildRecording } from './build-recording.ts';
import { type RecordedPosition, readRecordingLine } from './read-recording-line.ts';
import type { Recording } from './recording.ts';

/** What became of a file's lines. */
export interface LoadedRecording {
  readonly recording: Recording;
  /** Lines that are not of the format; each costs only itself. */
  readonly badLines: number;
  /** Lines of a sender that had no position yet. */
  readonly linesWithoutPosition: number;
}

/** Says which file can't be played, and why. */
export class RecordingError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = 'RecordingError';
  }
}

/** Reads a gzipped JSON Lines file; its name says the layer (`adsb-…` or `rid-…`). Throws a RecordingError. */
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
  if (positions.length === 0) throw new RecordingError(file, 'no line of it is a position');
  return { recording: buildRecording(file, layer, positions), badLines, linesWithoutPosition };
}

function layerOf(file: string): Layer {
  const name = basename(file);
  if (name.startsWith('adsb-')) return 'adsb';
  if (name.startsWith('rid-')) return 'rid';
  throw new RecordingError(file, 'the name must begin with adsb- or rid-, which says the layer');
}

/** A day of a busy receiver is a tenth of this; beyond it Node could not hold the text in one string. */
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
      return 'there is no such file';
    case 'Z_DATA_ERROR':
      return 'it is not gzipped, or damaged';
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
