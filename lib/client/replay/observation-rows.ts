import type { ObservationColumns } from './observation-columns.ts';

/** Rows of one block: 1 MiB, so that the store grows in steps that no page notices. */
const BLOCK_ROWS_BITS = 15;
const BLOCK_ROWS = 1 << BLOCK_ROWS_BITS;
const ROW_BITS = 3;

/** The words of a row, 4 bytes each. The score is a float; heading and receivers share a word, 20 and 12 bits. */
const LON = 0;
const LAT = 1;
const ALTITUDE = 2;
const HEIGHT = 3;
const SPEED = 4;
const SCORE = 5;
const HEADING_RECEIVERS = 6;
const LABELLING = 7;

/** 1e-7° is 11 mm at most, and ±180° just fits in 32 bits. */
const PER_DEGREE = 1e7;
/** Millimetres; ±2147 km and ±2147 km/s fit. */
const PER_METRE = 1000;
const PER_HEADING_DEGREE = 100;

/** A float has about seven digits; past these decimals a score is what the float made of it. */
const SCORE_DECIMALS = 1e6;

const NUMBER_MOST = 0x7fffffff;
const NO_NUMBER = -0x80000000;
const HEADING_MOST = 0x7ffff;
const NO_HEADING = -0x80000;
const RECEIVERS_BITS = 12;
const RECEIVERS_MOST = 0xffe;
const NO_RECEIVERS = 0xfff;

/**
 * Received positions, packed: 32 bytes a row, side by side, so that one row costs one step to main memory. Numbers are kept to
 * the decimals above, headings to 0.01°; what is beyond a column takes its end, and NaN ("not reported") stays NaN.
 */
export class ObservationRows {
  readonly #blocks: Int32Array[] = [];
  /** The same memory as the blocks. */
  readonly #floats: Float32Array[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @param labelling index into what the store knows of labels and flags. Returns the row. */
  append(columns: ObservationColumns, index: number, labelling: number): number {
    const row = this.#count++;
    if (row >>> BLOCK_ROWS_BITS === this.#blocks.length) this.#grow();
    const block = this.#blockOf(row);
    const floats = this.#floats[row >>> BLOCK_ROWS_BITS] as Float32Array;
    const at = wordOf(row);
    block[at + LON] = packed(columns.lon[index] as number, PER_DEGREE);
    block[at + LAT] = packed(columns.lat[index] as number, PER_DEGREE);
    block[at + ALTITUDE] = packed(columns.altitudeM[index] as number, PER_METRE);
    block[at + HEIGHT] = packed(columns.heightAglM[index] as number, PER_METRE);
    block[at + SPEED] = packed(columns.speedMps[index] as number, PER_METRE);
    floats[at + SCORE] = columns.confidenceScore[index] as number;
    block[at + HEADING_RECEIVERS] =
      (packedHeading(columns.headingDeg[index] as number) << RECEIVERS_BITS) |
      packedCount(columns.receiverCount[index] as number);
    block[at + LABELLING] = labelling;
    return row;
  }

  lon(row: number): number {
    return (this.#blockOf(row)[wordOf(row) + LON] as number) / PER_DEGREE;
  }

  lat(row: number): number {
    return (this.#blockOf(row)[wordOf(row) + LAT] as number) / PER_DEGREE;
  }

  altitudeM(row: number): number {
    return unpacked(this.#blockOf(row)[wordOf(row) + ALTITUDE] as number, PER_METRE);
  }

  heightAglM(row: number): number {
    return unpacked(this.#blockOf(row)[wordOf(row) + HEIGHT] as number, PER_METRE);
  }

  speedMps(row: number): number {
    return unpacked(this.#blockOf(row)[wordOf(row) + SPEED] as number, PER_METRE);
  }

  confidenceScore(row: number): number {
    const score = (this.#floats[row >>> BLOCK_ROWS_BITS] as Float32Array)[wordOf(row) + SCORE] as number;
    return Math.round(score * SCORE_DECIMALS) / SCORE_DECIMALS;
  }

  headingDeg(row: number): number {
    const heading = (this.#blockOf(row)[wordOf(row) + HEADING_RECEIVERS] as number) >> RECEIVERS_BITS;
    return heading === NO_HEADING ? Number.NaN : heading / PER_HEADING_DEGREE;
  }

  receiverCount(row: number): number {
    const receivers = (this.#blockOf(row)[wordOf(row) + HEADING_RECEIVERS] as number) & NO_RECEIVERS;
    return receivers === NO_RECEIVERS ? Number.NaN : receivers;
  }

  labelling(row: number): number {
    return this.#blockOf(row)[wordOf(row) + LABELLING] as number;
  }

  #grow(): void {
    const block = new Int32Array(BLOCK_ROWS << ROW_BITS);
    this.#blocks.push(block);
    this.#floats.push(new Float32Array(block.buffer));
  }

  #blockOf(row: number): Int32Array {
    return this.#blocks[row >>> BLOCK_ROWS_BITS] as Int32Array;
  }
}

function wordOf(row: number): number {
  return (row & (BLOCK_ROWS - 1)) << ROW_BITS;
}

function packed(value: number, perUnit: number): number {
  return Number.isNaN(value) ? NO_NUMBER : within(value * perUnit, -NUMBER_MOST, NUMBER_MOST);
}

function unpacked(word: number, perUnit: number): number {
  return word === NO_NUMBER ? Number.NaN : word / perUnit;
}

function packedHeading(deg: number): number {
  return Number.isNaN(deg) ? NO_HEADING : within(deg * PER_HEADING_DEGREE, -HEADING_MOST, HEADING_MOST);
}

function packedCount(count: number): number {
  return Number.isNaN(count) ? NO_RECEIVERS : within(count, 0, RECEIVERS_MOST);
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.round(value)));
}
