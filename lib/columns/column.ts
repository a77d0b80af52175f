import { type ByteReader, DamagedBytes, unzigzag, zigzag } from './bytes.ts';
import { UNREPORTED } from './unreported.ts';

/**
 * The codec of columns, for frames, trails and segments alike. A column has a 32-bit integer for each row, and rows are in
 * runs of one track each. The bytes are made for a general compression that follows. Damaged bytes are refused by
 * `DamagedBytes`, or read as other values: a checksum of the whole is up to the caller.
 */

/** Rows of one track, then those of the next. */
export interface Runs {
  readonly lengths: Uint32Array;
  readonly starts: Uint32Array;
  /** How many all runs have. */
  readonly rows: number;
}

/**
 * Predicts the next value of a run; the column stores the errors. `smooth` is an alpha-beta filter, for positions that
 * are noisier than they move.
 */
const FORECASTS = ['hold', 'line', 'smooth'] as const;
type Forecast = (typeof FORECASTS)[number];

/** Gains after the first, second, … value: those of a least-squares line, then constant. */
const SMOOTH_GAINS = Array.from({ length: 12 }, (_, learnt) => {
  const both = (learnt + 2) * (learnt + 3);
  return { value: Math.max(0.3, (2 * (2 * learnt + 3)) / both), rate: Math.max(0.05, 6 / both) };
});

/** A forecast is chosen by this many rows: trying all takes more time than it saves bytes. */
const SAMPLED_ROWS = 1000;

const PRESENCE = { none: 0, all: 1, some: 2 } as const;

/** Facts that predictions may use. Reader and writer must pass the same. */
export interface Known {
  /** The rows' times in ms, with which a forecast other than `hold` may be used. */
  readonly times?: Int32Array | undefined;
  /** The value before each run, or UNREPORTED. Default: the first value of the run before. */
  readonly before?: Int32Array | undefined;
}

/** Decodes each run separately: most questions to the past concern few tracks. */
export interface OpenColumn {
  /** Undefined for a run until it is decoded. */
  readonly values: Int32Array;
  /** Decodes a run. With a forecast, the run's times must have been decoded. */
  decode(run: number): void;
}

export function runsOf(lengths: Uint32Array): Runs {
  let rows = 0;
  const starts = lengths.map((length) => {
    rows += length;
    return rows - length;
  });
  return { lengths, starts, rows };
}

/**
 * Runs are written as planes of their lengths.
 * @param rowsMax bounds the memory that a damaged length takes
 * @throws DamagedBytes
 */
export function readRuns(reader: ByteReader, count: number, rowsMax: number): Runs {
  return checkedRuns(readPlanes(reader, count), rowsMax);
}

/** @throws DamagedBytes if a run is empty, or all are too long */
export function checkedRuns(lengths: Uint32Array, rowsMax: number): Runs {
  if (lengths.includes(0)) throw new DamagedBytes('an empty run');
  const rows = lengths.reduce((sum, length) => sum + length, 0);
  if (rows > rowsMax) throw new DamagedBytes(`${rows} rows`);
  return runsOf(lengths);
}

/**
 * Layout:
 * - a byte with presence and forecast
 * - if some values are unreported, a bit for each that is reported
 * - the stride, by which errors are divided (altitudes are multiples of 25 ft)
 * - errors in byte planes, the runs' first values first
 */
export function writeColumn(values: Int32Array, { lengths: runs }: Runs, known: Known = {}): Uint8Array[] {
  const { presence, bits, filled } = withoutGaps(values, runs, known.before);
  if (presence === PRESENCE.none) return [Uint8Array.of(presence)];
  const { times } = known;
  const forecast = times ? bestForecast(filled, runs, times) : 'hold';
  const head = Uint8Array.of(presence | (FORECASTS.indexOf(forecast) << 2));
  const firsts = firstErrors(filled, runs, known.before);
  const others = laterErrors(forecast, filled, runs, times);
  const stride = commonDivisor(others, commonDivisor(firsts, 0)) || 1;
  return [head, bits, writePlanes(Uint32Array.of(stride)), errorPlanes(firsts, stride), errorPlanes(others, stride)];
}

/** @throws DamagedBytes */
export function readColumn(reader: ByteReader, runs: Runs, known?: Known): Int32Array {
  const { values, decode } = openColumn(reader, runs, known);
  for (let run = 0; run < runs.lengths.length; run += 1) decode(run);
  return values;
}

/** @throws DamagedBytes */
export function openColumn(reader: ByteReader, runs: Runs, known: Known = {}): OpenColumn {
  const { lengths, starts, rows: count } = runs;
  const head = reader.byte();
  const presence = head & 3;
  if (presence === PRESENCE.none) return { values: unreportedValues(count), decode() {} };
  const forecast = FORECASTS[head >> 2];
  const { times, before } = known;
  if (presence > PRESENCE.some || forecast === undefined) throw new DamagedBytes(`a column that begins with ${head}`);
  if (forecast !== 'hold' && !times) throw new DamagedBytes('a forecast without times');
  const isReported = presence === PRESENCE.some ? reader.take(Math.ceil(count / 8)) : undefined;
  const stride = readPlanes(reader, 1)[0]!;
  const firsts = firstValues(reader, lengths.length, stride, before);
  const others = openPlanes(reader, count - lengths.length);
  const values = new Int32Array(count);
  return {
    values,
    decode(run) {
      const start = starts[run]!;
      const end = start + lengths[run]!;
      values[start] = firsts[run]!;
      if (end - start > 1) {
        const ofRun = values.subarray(start, end);
        // Each error becomes its value in place: a run needs no memory of its own.
        const errors = ofRun.subarray(1);
        others.read(start - run, errors);
        toErrors(errors, stride);
        if (forecast === 'hold' || !times) hold(ofRun, errors, true);
        else follow(forecast, ofRun, errors, times.subarray(start, end), true);
      }
      if (!isReported) return;
      for (let row = start; row < end; row += 1) {
        if (((isReported[row >> 3]! >> (row & 7)) & 1) === 0) values[row] = UNREPORTED;
      }
    },
  };
}

/** All columns without values share it. */
let nothing = new Int32Array(4096).fill(UNREPORTED);

export function unreportedValues(count: number): Int32Array {
  if (count > nothing.length) nothing = new Int32Array(count).fill(UNREPORTED);
  return nothing.subarray(0, count);
}

/** Replaces an unreported value by its prediction, so that its error is 0. */
function withoutGaps(values: Int32Array, runs: Uint32Array, before: Int32Array | undefined) {
  let missing = 0;
  for (let row = 0; row < values.length; row += 1) if (values[row] === UNREPORTED) missing += 1;
  const none = new Uint8Array();
  if (missing === values.length) return { presence: PRESENCE.none, bits: none, filled: values };
  if (missing === 0) return { presence: PRESENCE.all, bits: none, filled: values };
  const filled = new Int32Array(values.length);
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  let last = 0;
  for (let run = 0, row = 0; run < runs.length; run += 1) {
    const known = before?.[run] ?? UNREPORTED;
    if (known !== UNREPORTED) last = known;
    for (const end = row + runs[run]!; row < end; row += 1) {
      if (values[row] !== UNREPORTED) {
        last = values[row]!;
        bits[row >> 3]! |= 1 << (row & 7);
      }
      filled[row] = last;
    }
  }
  return { presence: PRESENCE.some, bits, filled };
}

function errorPlanes(errors: Int32Array, stride: number): Uint8Array {
  const numbers = new Uint32Array(errors.length);
  for (let at = 0; at < errors.length; at += 1) numbers[at] = zigzag(errors[at]! / stride);
  return writePlanes(numbers);
}

/** Turns the numbers that planes hold into errors, in place. */
function toErrors(numbers: Int32Array, stride: number): void {
  for (let at = 0; at < numbers.length; at += 1) numbers[at] = Math.imul(unzigzag(numbers[at]!), stride);
}

function firstErrors(values: Int32Array, runs: Uint32Array, before: Int32Array | undefined): Int32Array {
  const errors = new Int32Array(runs.length);
  for (let run = 0, start = 0, last = 0; run < runs.length; run += 1) {
    const known = before?.[run] ?? UNREPORTED;
    errors[run] = values[start]! - (known === UNREPORTED ? last : known);
    last = values[start]!;
    start += runs[run]!;
  }
  return errors;
}

function firstValues(reader: ByteReader, count: number, stride: number, before: Int32Array | undefined): Int32Array {
  const values = new Int32Array(count);
  openPlanes(reader, count).read(0, values);
  toErrors(values, stride);
  for (let run = 0, last = 0; run < count; run += 1) {
    const known = before?.[run] ?? UNREPORTED;
    last = ((known === UNREPORTED ? last : known) + values[run]!) | 0;
    values[run] = last;
  }
  return values;
}

function laterErrors(forecast: Forecast, values: Int32Array, runs: Uint32Array, times?: Int32Array): Int32Array {
  const errors = new Int32Array(values.length - runs.length);
  for (let run = 0, start = 0; run < runs.length; run += 1) {
    const end = start + runs[run]!;
    if (end - start > 1) {
      const ofRun = values.subarray(start, end);
      const errorsOfRun = errors.subarray(start - run, end - run - 1);
      if (forecast === 'hold' || !times) hold(ofRun, errorsOfRun, false);
      else follow(forecast, ofRun, errorsOfRun, times.subarray(start, end), false);
    }
    start = end;
  }
  return errors;
}

function bestForecast(values: Int32Array, runs: Uint32Array, times: Int32Array): Forecast {
  let [rows, run] = [0, 0];
  for (; run < runs.length && rows < SAMPLED_ROWS; run += 1) rows += runs[run]!;
  let best: Forecast = 'hold';
  let minBits = Number.POSITIVE_INFINITY;
  for (const forecast of FORECASTS) {
    let bits = 0;
    for (const error of laterErrors(forecast, values.subarray(0, rows), runs.subarray(0, run), times)) {
      bits += 32 - Math.clz32(Math.abs(error));
    }
    if (bits < minBits) [best, minBits] = [forecast, bits];
  }
  return best;
}

function commonDivisor(errors: Int32Array, other: number): number {
  let divisor = other;
  for (let at = 0; at < errors.length && divisor !== 1; at += 1) {
    let rest = Math.abs(errors[at]!);
    while (rest !== 0) {
      const next = divisor % rest;
      divisor = rest;
      rest = next;
    }
  }
  return divisor;
}

/** `follow` for `hold`, several times as fast. */
function hold(values: Int32Array, errors: Int32Array, reading: boolean): void {
  for (let row = 1; row < values.length; row += 1) {
    if (reading) values[row] = values[row - 1]! + errors[row - 1]!;
    else errors[row - 1] = values[row]! - values[row - 1]!;
  }
}

/**
 * Reader and writer predict the same, since IEEE 754 is exact on every machine. Errors wrap at 32 bits, so no forecast
 * loses anything.
 */
function follow(
  forecast: Exclude<Forecast, 'hold'>,
  values: Int32Array,
  errors: Int32Array,
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
    if (reading) values[row] = steps + errors[row - 1]!;
    else errors[row - 1] = values[row]! - steps;

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

/**
 * The number of planes, then the lowest byte of every integer, the next byte, and so on: similar bytes compress well.
 */
export function writePlanes(numbers: Uint32Array): Uint8Array {
  let bits = 0;
  for (const number of numbers) bits |= number;
  const width = Math.ceil((32 - Math.clz32(bits)) / 8);
  const bytes = new Uint8Array(1 + width * numbers.length);
  bytes[0] = width;
  for (let plane = 0, at = 1; plane < width; plane += 1) {
    for (let index = 0; index < numbers.length; index += 1) bytes[at++] = numbers[index]! >>> (8 * plane);
  }
  return bytes;
}

/** @throws DamagedBytes */
export function readPlanes(reader: ByteReader, count: number): Uint32Array {
  const numbers = new Int32Array(count);
  openPlanes(reader, count).read(0, numbers);
  return new Uint32Array(numbers.buffer);
}

interface Planes {
  /** Fills the numbers with those from index `from` on. The 32 bits of each have no sign. */
  read(from: number, numbers: Int32Array): void;
}

function openPlanes(reader: ByteReader, count: number): Planes {
  const width = reader.byte();
  if (width > 4) throw new DamagedBytes(`a number of ${width} bytes`);
  const bytes = reader.take(width * count);
  return {
    read(from, numbers) {
      numbers.fill(0);
      for (let plane = 0; plane < width; plane += 1) {
        const start = plane * count + from;
        const shift = 8 * plane;
        for (let index = 0; index < numbers.length; index += 1) numbers[index]! |= bytes[start + index]! << shift;
      }
    },
  };
}

/** Planes of the differences from each number to the next. They wrap at 32 bits, so nothing is lost. */
export function writeDifferences(numbers: Int32Array): Uint8Array {
  let last = 0;
  const differences = new Uint32Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    differences[at] = zigzag((numbers[at]! - last) | 0);
    last = numbers[at]!;
  }
  return writePlanes(differences);
}

/** @throws DamagedBytes */
export function readDifferences(reader: ByteReader, count: number): Int32Array {
  const numbers = new Int32Array(count);
  const differences = readPlanes(reader, count);
  for (let at = 0, last = 0; at < count; at += 1) {
    last = (last + unzigzag(differences[at]!)) | 0;
    numbers[at] = last;
  }
  return numbers;
}
