import { floatHigh, floatLow } from '../webgl/float-pair.ts';

/**
 * One line in the buffer: from and to as high x, high y, low x, low y each (float32, Mercator), when it is shown from and until
 * (float32, milliseconds since the base), red, green, blue and shape (bytes).
 */
export const LINE_BYTES = 44;
export const LINE_WORDS = LINE_BYTES / 4;
export const SHOWN_OFFSET_BYTES = 32;
export const LINE_LOOK_OFFSET_BYTES = 40;

export const TRAIL_SHAPES = { solid: 0, dotted: 1, dot: 2 } as const;

/** A line between two received positions, or the dot at the second one of them. */
export interface TrailLine {
  /** Mercator; x of the two may lie beyond 0…1, so that a line takes the short way over 180°. */
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  /** It is part of the past in `[fromMs, untilMs)`; milliseconds of the epoch, `Infinity` for good. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Each 0 to 1. */
  readonly rgb: readonly [number, number, number];
  readonly shape: keyof typeof TRAIL_SHAPES;
}

/** For `Infinity`, which not every graphics card can compare with. */
const FOR_GOOD_MS = 1e12;

/** Trails as lines laid out for the graphics card, in the order in which they were added. Room grows and never shrinks. */
export class TrailLines {
  #count = 0;
  #baseMs = 0;
  #words = new Float32Array(LINE_WORDS * 256);
  #bytes = new Uint8Array(this.#words.buffer);

  get count(): number {
    return this.#count;
  }

  /** What the times in the buffer count from: single precision is exact to the millisecond for four hours after it. */
  get baseMs(): number {
    return this.#baseMs;
  }

  words(): Float32Array {
    return this.#words;
  }

  clear(baseMs: number): void {
    this.#count = 0;
    this.#baseMs = baseMs;
  }

  add({ fromX, fromY, toX, toY, fromMs, untilMs, rgb, shape }: TrailLine): void {
    if ((this.#count + 1) * LINE_WORDS > this.#words.length) this.#grow();
    const at = this.#count * LINE_WORDS;
    const words = this.#words;
    // The end is put into the world's own turn, whose copies are what is drawn.
    const turn = Math.floor(toX);
    words[at] = floatHigh(fromX - turn);
    words[at + 1] = floatHigh(fromY);
    words[at + 2] = floatLow(fromX - turn);
    words[at + 3] = floatLow(fromY);
    words[at + 4] = floatHigh(toX - turn);
    words[at + 5] = floatHigh(toY);
    words[at + 6] = floatLow(toX - turn);
    words[at + 7] = floatLow(toY);
    words[at + 8] = fromMs - this.#baseMs;
    words[at + 9] = Math.min(untilMs - this.#baseMs, FOR_GOOD_MS);
    const look = at * 4 + LINE_LOOK_OFFSET_BYTES;
    this.#bytes[look] = Math.round(rgb[0] * 255);
    this.#bytes[look + 1] = Math.round(rgb[1] * 255);
    this.#bytes[look + 2] = Math.round(rgb[2] * 255);
    this.#bytes[look + 3] = TRAIL_SHAPES[shape];
    this.#count++;
  }

  #grow(): void {
    const bigger = new Float32Array(this.#words.length * 2);
    bigger.set(this.#words);
    this.#words = bigger;
    this.#bytes = new Uint8Array(bigger.buffer);
  }
}
