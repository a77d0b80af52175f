import { UNREPORTED } from '../rows.ts';
import type { ByteReader } from './byte-reader.ts';
import { DamagedBytes } from './damaged-bytes.ts';
import { readPlanes, writePlanes } from './planes.ts';

/**
 * How the next value of a track is foreseen; what is stored is by how much it differs. All are one filter, which keeps a
 * value and a rate of change, with different gains: `hold` expects the last value; `line` that it goes on changing as it
 * did between the last two; `smooth` averages over the noise of about ten, which is better where positions are noisier
 * than they move.
 */
const FORECASTS = ['hold', 'line', 'smooth'] as const;
type Forecast = (typeof FORECASTS)[number];

const SMOOTH_VALUE_GAIN = 0.3;
const SMOOTH_RATE_GAIN = 0.05;

/** The rows of a chunk: runs of consecutive rows of one track each, of these lengths. */
export type RunLengths = Uint32Array;

const PRESENCE = { none: 0, all: 1, some: 2 } as const;

/** Differences from what was foreseen, zigzag: of the first row of each run from that of the one before, and of the others. */
interface Differences {
  readonly firsts: Uint32Array;
  readonly others: Uint32Array;
}

/**
 * Encodes a column. With the times of the rows it also tries the forecasts that need them, and takes what is smallest.
 * Layout: a byte with presence and forecast; if only some values are reported, a bit for each that is; then the
 * differences in byte planes.
 */
export function writeColumn(values: Int32Array, runs: RunLengths, times?: Int32Array): Uint8Array[] {
  const { presence, bits, filled } = withoutGaps(values);
  if (presence === PRESENCE.none) return [Uint8Array.of(presence)];
  let best = differencesOf('hold', filled, runs, times);
  let forecast: Forecast = 'hold';
  if (times) {
    let leastBits = bitsOf(best.others);
    for (const candidate of ['line', 'smooth'] as const) {
      const differences = differencesOf(candidate, filled, runs, times);
      const bitCount = bitsOf(differences.others);
      if (bitCount < leastBits) [best, forecast, leastBits] = [differences, candidate, bitCount];
    }
  }
  const head = Uint8Array.of(presence | (FORECASTS.indexOf(forecast) << 2));
  const planes = [writePlanes(best.firsts), writePlanes(best.others)];
  return presence === PRESENCE.some ? [head, bits, ...planes] : [head, ...planes];
}

/** Decodes a column of `count` rows. Throws DamagedBytes. */
export function readColumn(reader: ByteReader, count: number, runs: RunLengths, times?: Int32Array): Int32Array {
  const head = reader.byte();
  const presence = head & 3;
  if (presence === PRESENCE.none) return new Int32Array(count).fill(UNREPORTED);
  const forecast = FORECASTS[head >> 2];
  if (presence > PRESENCE.some || forecast === undefined) throw new DamagedBytes(`a column that begins with ${head}`);
  if (forecast !== 'hold' && !times) throw new DamagedBytes('a forecast without times');
  const bits = presence === PRESENCE.some ? reader.take(Math.ceil(count / 8)) : undefined;
  const firsts = readPlanes(reader, runs.length);
  const others = readPlanes(reader, count - runs.length);
  const values = undoDifferences(forecast, { firsts, others }, runs, times);
  if (bits) {
    for (let row = 0; row < count; row += 1) if (((bits[row >> 3]! >> (row & 7)) & 1) === 0) values[row] = UNREPORTED;
  }
  return values;
}

/** Values that are not reported become the one before, which costs next to nothing. */
function withoutGaps(values: Int32Array) {
  const filled = new Int32Array(values.length);
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  let reported = 0;
  for (let row = 0, last = 0; row < values.length; row += 1) {
    const value = values[row]!;
    if (value !== UNREPORTED) {
      last = value;
      reported += 1;
      bits[row >> 3]! |= 1 << (row & 7);
    }
    filled[row] = last;
  }
  const presence = reported === 0 ? PRESENCE.none : reported === values.length ? PRESENCE.all : PRESENCE.some;
  return { presence, bits, filled };
}

function differencesOf(
  forecast: Forecast,
  values: Int32Array,
  runs: RunLengths,
  times: Int32Array | undefined,
): Differences {
  const firsts = new Uint32Array(runs.length);
  const others = new Uint32Array(values.length - runs.length);
  follow(forecast, values, { firsts, others }, runs, times, false);
  return { firsts, others };
}

function undoDifferences(
  forecast: Forecast,
  differences: Differences,
  runs: RunLengths,
  times: Int32Array | undefined,
): Int32Array {
  const values = new Int32Array(differences.firsts.length + differences.others.length);
  follow(forecast, values, differences, runs, times, true);
  return values;
}

/**
 * Follows every run with the forecast, and fills in `values` (when reading) or `differences` (when writing). Both take
 * the same path through this code, so that they foresee the same; its arithmetic is that of IEEE 754 and gives the same
 * result on every machine. Differences wrap at 32 bits: even a forecast far out of range loses nothing.
 */
function follow(
  forecast: Forecast,
  values: Int32Array,
  { firsts, others }: Differences,
  runs: RunLengths,
  times: Int32Array | undefined,
  reading: boolean,
): void {
  const smooths = forecast === 'smooth';
  const holds = forecast === 'hold';
  let first = 0;
  for (let run = 0, row = 0, other = 0; run < runs.length; run += 1) {
    const end = row + runs[run]!;
    if (reading) values[row] = (first + unzigzag(firsts[run]!)) | 0;
    else firsts[run] = zigzag((values[row]! - first) | 0);
    first = values[row]!;

    let estimate = first;
    let perMs = 0;
    let learnt = 0;
    for (row += 1; row < end; row += 1) {
      const sinceMs = holds || !times ? 0 : times[row]! - times[row - 1]!;
      const expected = estimate + perMs * sinceMs;
      const steps = Math.round(expected) | 0;
      if (reading) values[row] = (steps + unzigzag(others[other]!)) | 0;
      else others[other] = zigzag((values[row]! - steps) | 0);
      other += 1;

      const error = values[row]! - expected;
      if (smooths) {
        // The first gains are those of a straight line through all values so far.
        learnt += 1;
        const both = (learnt + 1) * (learnt + 2);
        estimate = expected + Math.max(SMOOTH_VALUE_GAIN, (2 * (2 * learnt + 1)) / both) * error;
        if (sinceMs > 0) perMs += (Math.max(SMOOTH_RATE_GAIN, 6 / both) * error) / sinceMs;
      } else {
        estimate = values[row]!;
        if (sinceMs > 0) perMs += error / sinceMs;
      }
    }
  }
}

function bitsOf(numbers: Uint32Array): number {
  let bits = 0;
  for (const number of numbers) bits += 32 - Math.clz32(number);
  return bits;
}

function zigzag(difference: number): number {
  return ((difference << 1) ^ (difference >> 31)) >>> 0;
}

function unzigzag(number: number): number {
  return (number >>> 1) ^ -(number & 1);
}
