import { UNREPORTED } from '../rows.ts';
import type { ByteReader } from './byte-reader.ts';
import { DamagedBytes } from './damaged-bytes.ts';
import { openPlanes, readPlanes, writePlanes } from './planes.ts';
import { unzigzag, zigzag } from './zigzag.ts';

/**
 * How the next value of a track is foreseen; what is stored is by how much it differs. All are one filter, which keeps a
 * value and a rate of change, with different gains: `hold` expects the last value; `line` that it goes on changing as it
 * did between the last two; `smooth` averages over the noise of about ten, which is better where positions are noisier
 * than they move.
 */
const FORECASTS = ['hold', 'line', 'smooth'] as const;
type Forecast = (typeof FORECASTS)[number];

/**
 * The gains of `smooth` after the first, second, … value: at first those of a straight line through all values so far, and
 * then such that the last ten or so count.
 */
const SMOOTH_GAINS = Array.from({ length: 12 }, (_, learnt) => {
  const both = (learnt + 2) * (learnt + 3);
  return { value: Math.max(0.3, (2 * (2 * learnt + 3)) / both), rate: Math.max(0.05, 6 / both) };
});

/** So many rows tell which forecast is best for all: trying it on all costs more time than it saves bytes. */
const SAMPLED_ROWS = 1000;

/** The rows of a chunk: runs of consecutive rows of one track each, of these lengths. */
export type RunLengths = Uint32Array;

/** A column whose runs are decoded one by one: most questions are about a few tracks of a chunk. */
export interface Column {
  /** Undefined where no run was decoded yet. */
  readonly values: Int32Array;
  /** Decodes a run. Where times have a part in it, they are decoded already. */
  decode(run: number): void;
}

const PRESENCE = { none: 0, all: 1, some: 2 } as const;

/** Differences from what was foreseen, zigzag: of the first row of each run from that of the one before, and of the others. */
interface Differences {
  readonly firsts: Uint32Array;
  readonly others: Uint32Array;
}

/**
 * Encodes a column. With the times of its rows the forecast is what is best for the first of them; without, it is `hold`.
 * Layout: a byte with presence and forecast; if only some values are reported, a bit for each that is; then the
 * differences in byte planes.
 */
export function writeColumn(values: Int32Array, runs: RunLengths, times?: Int32Array): Uint8Array[] {
  const { presence, bits, filled } = withoutGaps(values);
  if (presence === PRESENCE.none) return [Uint8Array.of(presence)];
  const forecast = times ? bestForecast(filled, runs, times) : 'hold';
  const differences = differencesOf(forecast, filled, runs, times);
  const head = Uint8Array.of(presence | (FORECASTS.indexOf(forecast) << 2));
  const planes = [writePlanes(differences.firsts), writePlanes(differences.others)];
  return presence === PRESENCE.some ? [head, bits, ...planes] : [head, ...planes];
}

/** The forecast that leaves the fewest bits of the first runs. */
function bestForecast(values: Int32Array, runs: RunLengths, times: Int32Array): Forecast {
  let [rows, run] = [0, 0];
  for (; run < runs.length && rows < SAMPLED_ROWS; run += 1) rows += runs[run]!;
  let best: Forecast = 'hold';
  let minBits = Number.POSITIVE_INFINITY;
  for (const forecast of FORECASTS) {
    const sample = differencesOf(forecast, values.subarray(0, rows), runs.subarray(0, run), times.subarray(0, rows));
    const bits = bitsOf(sample.others);
    if (bits < minBits) [best, minBits] = [forecast, bits];
  }
  return best;
}

/** @param starts of the runs; @param times of the rows, if the column was written with them. Throws DamagedBytes. */
export function openColumn(reader: ByteReader, runs: RunLengths, starts: Uint32Array, times?: Int32Array): Column {
  const count = runs.length === 0 ? 0 : starts.at(-1)! + runs.at(-1)!;
  const head = reader.byte();
  const presence = head & 3;
  if (presence === PRESENCE.none) return { values: unreportedValues(count), decode() {} };
  const forecast = FORECASTS[head >> 2];
  if (presence > PRESENCE.some || forecast === undefined) throw new DamagedBytes(`a column that begins with ${head}`);
  if (forecast !== 'hold' && !times) throw new DamagedBytes('a forecast without times');
  const bits = presence === PRESENCE.some ? reader.take(Math.ceil(count / 8)) : undefined;
  const firsts = sumsOf(readPlanes(reader, runs.length));
  const others = openPlanes(reader, count - runs.length);
  const values = new Int32Array(count);
  return {
    values,
    decode(run) {
      const start = starts[run]!;
      const length = runs[run]!;
      const differences = new Uint32Array(length - 1);
      others.read(start - run, length - 1, differences);
      const ofRun = values.subarray(start, start + length);
      ofRun[0] = firsts[run]!;
      if (forecast === 'hold' || !times) hold(ofRun, differences, true);
      else follow(forecast, ofRun, differences, times.subarray(start, start + length), true);
      if (!bits) return;
      for (let row = start; row < start + length; row += 1) {
        if (((bits[row >> 3]! >> (row & 7)) & 1) === 0) values[row] = UNREPORTED;
      }
    },
  };
}

/** Most columns of some layers have nothing in them. */
let nothing = new Int32Array(4096).fill(UNREPORTED);

/** The values of a column in which nothing is reported; they are not to be written. */
export function unreportedValues(count: number): Int32Array {
  if (count > nothing.length) nothing = new Int32Array(count).fill(UNREPORTED);
  return nothing.subarray(0, count);
}

/** The first values of the runs, of which each is stored as its difference from the one before. */
function sumsOf(differences: Uint32Array): Int32Array {
  let sum = 0;
  return Int32Array.from(differences, (difference) => {
    sum = (sum + unzigzag(difference)) | 0;
    return sum;
  });
}

/** Values that are not reported become the one before, which costs next to nothing. */
function withoutGaps(values: Int32Array) {
  let missing = 0;
  for (let row = 0; row < values.length; row += 1) if (values[row] === UNREPORTED) missing += 1;
  const none = new Uint8Array();
  if (missing === 0) return { presence: PRESENCE.all, bits: none, filled: values };
  if (missing === values.length) return { presence: PRESENCE.none, bits: none, filled: values };
  const filled = new Int32Array(values.length);
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (let row = 0, last = 0; row < values.length; row += 1) {
    if (values[row] !== UNREPORTED) {
      last = values[row]!;
      bits[row >> 3]! |= 1 << (row & 7);
    }
    filled[row] = last;
  }
  return { presence: PRESENCE.some, bits, filled };
}

function differencesOf(
  forecast: Forecast,
  values: Int32Array,
  runs: RunLengths,
  times: Int32Array | undefined,
): Differences {
  const firsts = new Uint32Array(runs.length);
  const others = new Uint32Array(values.length - runs.length);
  let first = 0;
  for (let run = 0, start = 0; run < runs.length; run += 1) {
    const end = start + runs[run]!;
    firsts[run] = zigzag((values[start]! - first) | 0);
    first = values[start]!;
    const ofRun = values.subarray(start, end);
    const differences = others.subarray(start - run, end - run - 1);
    if (forecast === 'hold' || !times) hold(ofRun, differences, false);
    else follow(forecast, ofRun, differences, times.subarray(start, end), false);
    start = end;
  }
  return { firsts, others };
}

/** What `follow` does, where the last value is what is foreseen: most columns, and several times as fast. */
function hold(values: Int32Array, differences: Uint32Array, reading: boolean): void {
  let last = values[0]!;
  for (let row = 1; row < values.length; row += 1) {
    if (reading) {
      last = (last + unzigzag(differences[row - 1]!)) | 0;
      values[row] = last;
    } else {
      differences[row - 1] = zigzag((values[row]! - last) | 0);
      last = values[row]!;
    }
  }
}

/**
 * Follows a run from its first value on with the forecast, and fills in `values` (when reading) or `differences` (when
 * writing). Both take the same path through this code, so that they foresee the same; its arithmetic is that of IEEE 754
 * and gives the same result on every machine. Differences wrap at 32 bits: even a forecast far out of range loses nothing.
 */
function follow(
  forecast: Exclude<Forecast, 'hold'>,
  values: Int32Array,
  differences: Uint32Array,
  times: Int32Array,
  reading: boolean,
): void {
  const smooths = forecast === 'smooth';
  let estimate = values[0]!;
  let perMs = 0;
  let learnt = 0;
  for (let row = 1; row < values.length; row += 1) {
    const sinceMs = times[row]! - times[row - 1]!;
    const expected = estimate + perMs * sinceMs;
    const steps = Math.round(expected) | 0;
    if (reading) values[row] = (steps + unzigzag(differences[row - 1]!)) | 0;
    else differences[row - 1] = zigzag((values[row]! - steps) | 0);

    const error = values[row]! - expected;
    if (smooths) {
      const gains = SMOOTH_GAINS[learnt]!;
      if (learnt < SMOOTH_GAINS.length - 1) learnt += 1;
      estimate = expected + gains.value * error;
      if (sinceMs > 0) perMs += (gains.rate * error) / sinceMs;
    } else {
      estimate = values[row]!;
      if (sinceMs > 0) perMs += error / sinceMs;
    }
  }
}

function bitsOf(numbers: Uint32Array): number {
  let bits = 0;
  for (const number of numbers) bits += 32 - Math.clz32(number);
  return bits;
}
