import { floatHigh, floatLow } from '../webgl/float-pair.ts';
import type { GlyphMetrics } from './glyph-atlas.ts';
import { LABEL_SIDES, type LabelSide, labelCorner } from './place-labels.ts';

export interface PlacedLabel {
  readonly mercatorX: number;
  readonly mercatorY: number;
  /** Half the side of its mark, CSS pixels. */
  readonly halfPx: number;
  readonly side: LabelSide;
  readonly lines: readonly string[];
  readonly opacity: number;
  readonly emergency: boolean;
  readonly isBadge: boolean;
}

/**
 * In two texels of four words:
 * - high x, high y, low x, low y of the mark (float32)
 * - offset of the upper left corner (16 bits each, signed, x lowest, 1/16 CSS pixels, y down)
 * - column and row in the atlas (16 bits each)
 * - opacity (lowest byte) and flags
 * - cell width in texels, or plate width and height (16 bits each, 1/16 CSS pixels)
 */
export const GLYPH_TEXELS = 2;
const GLYPH_WORDS = 4 * GLYPH_TEXELS;
export const OFFSET_STEPS_PER_PX = 16;
export const OF_EMERGENCY = 0x100;
export const IS_PLATE = 0x200;
export const OF_BADGE = 0x400;

const PLATE_PAD_PX = { x: 2.5, y: 0.5 } as const;

export function labelSizePx(lines: readonly string[], metrics: GlyphMetrics): { widthPx: number; heightPx: number } {
  const widthPx = Math.max(0, ...lines.map((line) => lineWidthPx(line, metrics)));
  return { widthPx: widthPx + 2 * PLATE_PAD_PX.x, heightPx: lines.length * metrics.linePx + 2 * PLATE_PAD_PX.y };
}

/** Reuses its memory for the next `pack`. */
export class LabelRecords {
  #floats = new Float32Array(64 * GLYPH_WORDS);
  #words = new Uint32Array(this.#floats.buffer);
  #before = new Uint32Array(0);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get words(): Uint32Array {
    return this.#words;
  }

  /** @returns whether any label differs from the last call */
  pack(labels: readonly PlacedLabel[], metrics: GlyphMetrics): boolean {
    const countBefore = this.#count;
    this.#before = this.#words.slice(0, countBefore * GLYPH_WORDS);
    this.#count = 0;
    for (const label of labels) this.#add(label, metrics);
    if (this.#count !== countBefore) return true;
    for (let word = 0; word < this.#before.length; word++) if (this.#words[word] !== this.#before[word]) return true;
    return false;
  }

  #add(label: PlacedLabel, metrics: GlyphMetrics): void {
    const { lines, side, halfPx } = label;
    const { widthPx, heightPx } = labelSizePx(lines, metrics);
    const [left, top] = labelCorner(side, halfPx, widthPx, heightPx);
    this.#addQuad(label, left, top, 0, IS_PLATE, offsetSteps(widthPx) | (offsetSteps(heightPx) << 16));
    const textWidthPx = widthPx - 2 * PLATE_PAD_PX.x;
    lines.forEach((line, row) => {
      let x = left + PLATE_PAD_PX.x + (textWidthPx - lineWidthPx(line, metrics)) * alignment(side);
      for (const character of line) {
        const glyph = metrics.glyph(character);
        const place = glyph.column | (glyph.row << 16);
        const y = top + PLATE_PAD_PX.y + row * metrics.linePx - metrics.padPx;
        if (character !== ' ') this.#addQuad(label, x - metrics.padPx, y, place, 0, glyph.width);
        x += glyph.advancePx;
      }
    });
  }

  #addQuad(label: PlacedLabel, x: number, y: number, place: number, flags: number, size: number): void {
    const { mercatorX, mercatorY, opacity, emergency, isBadge } = label;
    const at = this.#count * GLYPH_WORDS;
    if (at + GLYPH_WORDS > this.#words.length) this.#grow();
    const [floats, words] = [this.#floats, this.#words];
    floats[at] = floatHigh(mercatorX);
    floats[at + 1] = floatHigh(mercatorY);
    floats[at + 2] = floatLow(mercatorX);
    floats[at + 3] = floatLow(mercatorY);
    words[at + 4] = (offsetSteps(x) & 0xffff) | (offsetSteps(y) << 16);
    words[at + 5] = place;
    words[at + 6] = opacity | flags | (emergency ? OF_EMERGENCY : 0) | (isBadge ? OF_BADGE : 0);
    words[at + 7] = size;
    this.#count++;
  }

  #grow(): void {
    const grown = new Float32Array(2 * this.#floats.length);
    grown.set(this.#floats);
    this.#floats = grown;
    this.#words = new Uint32Array(grown.buffer);
  }
}

function lineWidthPx(line: string, metrics: GlyphMetrics): number {
  let widthPx = 0;
  for (const character of line) widthPx += metrics.glyph(character).advancePx;
  return widthPx;
}

function alignment(side: LabelSide): number {
  const name = LABEL_SIDES[side] ?? 'right';
  if (name.endsWith('left')) return 1;
  return name.endsWith('right') ? 0 : 0.5;
}

function offsetSteps(px: number): number {
  return Math.round(px * OFFSET_STEPS_PER_PX);
}
