import type { Rgb } from '#lib/model/altitude-colour.ts';
import { floatHigh, floatLow } from '../webgl/quads.ts';

/**
 * A record is a line or a dot, in three texels of 16 bytes:
 * - its two ends, each as high x, high y, low x, low y (float32, Mercator)
 * - the times from and until which it is shown (float32, ms since the base)
 * - red, green, blue on dark ground and shape (bytes)
 * - red, green, blue on light ground and an unused byte
 */
export const LINE_TEXELS = 3;
export const LINE_BYTES = 16 * LINE_TEXELS;
export const LINE_FLOATS = LINE_BYTES / 4;
export const LINE_LOOK_OFFSET_BYTES = 40;

export const TRAIL_SHAPES = { solid: 0, dotted: 1, dot: 2 } as const;

const RUN_LINES = 1024;

export interface TrailLine {
  /** Mercator; x may lie outside 0…1: the short way across 180°. */
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  /** Shown in `[fromMs, untilMs)`, epoch ms; `Infinity` for ever. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The colour on a dark map, and on a light one. */
  readonly rgb: Rgb;
  readonly lightRgb: Rgb;
  readonly shape: keyof typeof TRAIL_SHAPES;
}

/** Stands for `Infinity`, which not every GPU can compare with. */
const FOR_EVER_MS = 1e12;

/**
 * The lines of a layer of trails, as records. Lines are added at the end or set in place; the layer uploads only runs that
 * changed. The buffer never shrinks.
 */
export class TrailLines {
  #count = 0;
  #baseMs = 0;
  #floats = new Float32Array(LINE_FLOATS * 256);
  #bytes = new Uint8Array(this.#floats.buffer);
  #words = new Uint32Array(this.#floats.buffer);
  /** Which runs changed since the last `takeChanges`. */
  #isChanged = new Uint8Array(1);

  get count(): number {
    return this.#count;
  }

  /** Single precision is exact to the millisecond for four hours after it. */
  get baseMs(): number {
    return this.#baseMs;
  }

  words(): Uint32Array {
    return this.#words;
  }

  clear(baseMs: number): void {
    this.#count = 0;
    this.#baseMs = baseMs;
  }

  add(line: TrailLine): void {
    this.#write(this.#count, line);
  }

  /** Replaces a line, or appends at the end. */
  set(index: number, line: TrailLine): void {
    this.#write(index, line);
    this.#note(index);
  }

  hide(index: number): void {
    const at = index * LINE_FLOATS;
    // A span that ends before it begins is drawn at no time.
    this.#floats[at + 9] = -FOR_EVER_MS;
    this.#note(index);
  }

  /** All lines have to be uploaded again. */
  rebase(baseMs: number): void {
    const byMs = this.#baseMs - baseMs;
    this.#baseMs = baseMs;
    for (let line = 0; line < this.#count; line++) {
      const at = line * LINE_FLOATS;
      this.#floats[at + 8] = (this.#floats[at + 8] as number) + byMs;
      this.#floats[at + 9] = (this.#floats[at + 9] as number) + byMs;
    }
  }

  /** Calls back with each run of lines set since the last call. */
  takeChanges(changed: (first: number, count: number) => void): void {
    const runs = this.#isChanged;
    for (let run = 0; run < runs.length; run++) {
      if (runs[run] === 0) continue;
      const first = run;
      while (run < runs.length && runs[run] === 1) runs[run++] = 0;
      changed(first * RUN_LINES, Math.min(this.#count, run * RUN_LINES) - first * RUN_LINES);
    }
  }

  #note(index: number): void {
    const run = Math.floor(index / RUN_LINES);
    if (run >= this.#isChanged.length) {
      const longer = new Uint8Array(2 * run + 1);
      longer.set(this.#isChanged);
      this.#isChanged = longer;
    }
    this.#isChanged[run] = 1;
  }

  #write(index: number, { fromX, fromY, toX, toY, fromMs, untilMs, rgb, lightRgb, shape }: TrailLine): void {
    while ((index + 1) * LINE_FLOATS > this.#floats.length) this.#grow();
    const at = index * LINE_FLOATS;
    const floats = this.#floats;
    // The end lies in 0…1, the world whose copies are drawn.
    const worldX = Math.floor(toX);
    floats[at] = floatHigh(fromX - worldX);
    floats[at + 1] = floatHigh(fromY);
    floats[at + 2] = floatLow(fromX - worldX);
    floats[at + 3] = floatLow(fromY);
    floats[at + 4] = floatHigh(toX - worldX);
    floats[at + 5] = floatHigh(toY);
    floats[at + 6] = floatLow(toX - worldX);
    floats[at + 7] = floatLow(toY);
    floats[at + 8] = fromMs - this.#baseMs;
    floats[at + 9] = Math.min(untilMs - this.#baseMs, FOR_EVER_MS);
    const look = at * 4 + LINE_LOOK_OFFSET_BYTES;
    for (let channel = 0; channel < 3; channel++) {
      this.#bytes[look + channel] = Math.round(rgb[channel]! * 255);
      this.#bytes[look + 4 + channel] = Math.round(lightRgb[channel]! * 255);
    }
    this.#bytes[look + 3] = TRAIL_SHAPES[shape];
    this.#count = Math.max(this.#count, index + 1);
  }

  #grow(): void {
    const bigger = new Float32Array(this.#floats.length * 2);
    bigger.set(this.#floats);
    this.#floats = bigger;
    this.#bytes = new Uint8Array(bigger.buffer);
    this.#words = new Uint32Array(bigger.buffer);
  }
}
