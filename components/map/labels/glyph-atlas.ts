const FAMILY = '"JetBrains Mono Variable", ui-monospace, monospace';
const HALO_PX = 1.4;
/** Room for a glyph's halo. */
const PAD_PX = 2;
/** Room for about 500 glyphs at any resolution. */
const SIDE_PX = 256;
const REPLACEMENT = '\ufffd';

export interface Glyph {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly advancePx: number;
}

export interface GlyphMetrics {
  readonly cellTexels: number;
  /** From the cell's edge to the glyph. */
  readonly padPx: number;
  readonly linePx: number;
  glyph(character: string): Glyph;
}

/** Red is the halo's coverage, green the text's. Glyphs are drawn on first use. */
export class GlyphAtlas implements GlyphMetrics {
  readonly cellTexels: number;
  readonly padPx = PAD_PX;
  /** Texels per CSS pixel. */
  readonly pixelRatio: number;
  readonly linePx: number;
  readonly canvas = document.createElement('canvas');
  readonly #font: string;
  readonly #glyphs = new Map<string, Glyph>();
  readonly #pen: CanvasRenderingContext2D;
  readonly #onFont: () => void;
  #column = 0;
  #row = 0;
  hasNew = true;

  /** @param onFont a drawn glyph's font has arrived: rebuild the atlas */
  constructor(textPx: number, pixelRatio: number, onFont: () => void) {
    this.pixelRatio = pixelRatio;
    this.#onFont = onFont;
    this.linePx = textPx * 1.25;
    this.#font = `${textPx}px ${FAMILY}`;
    this.cellTexels = Math.ceil((this.linePx + 2 * PAD_PX) * pixelRatio);
    this.canvas.width = Math.ceil(SIDE_PX * pixelRatio * (textPx / 10));
    this.canvas.height = this.canvas.width;
    const pen = this.canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!pen) throw new Error('This browser has no 2D canvas');
    pen.font = this.#font;
    pen.textBaseline = 'middle';
    pen.lineJoin = 'round';
    pen.lineWidth = 2 * HALO_PX;
    pen.globalCompositeOperation = 'lighter';
    this.#pen = pen;
    this.glyph(REPLACEMENT);
  }

  glyph(character: string): Glyph {
    return this.#glyphs.get(character) ?? this.#draw(character) ?? (this.#glyphs.get(REPLACEMENT) as Glyph);
  }

  #draw(character: string): Glyph | undefined {
    const pen = this.#pen;
    const advancePx = pen.measureText(character).width;
    const width = Math.ceil((advancePx + 2 * PAD_PX) * this.pixelRatio);
    if (this.#column + width > this.canvas.width) {
      this.#column = 0;
      this.#row += this.cellTexels;
    }
    if (this.#row + this.cellTexels > this.canvas.height) return undefined;
    const glyph = { column: this.#column, row: this.#row, width, advancePx };
    pen.setTransform(this.pixelRatio, 0, 0, this.pixelRatio, glyph.column, glyph.row);
    const middlePx = PAD_PX + this.linePx / 2;
    pen.strokeStyle = '#f00';
    pen.strokeText(character, PAD_PX, middlePx);
    pen.fillStyle = '#ff0';
    pen.fillText(character, PAD_PX, middlePx);
    this.#column += width;
    this.#glyphs.set(character, glyph);
    this.hasNew = true;
    if (!document.fonts.check(this.#font, character)) {
      void document.fonts.load(this.#font, character).then(this.#onFont);
    }
    return glyph;
  }
}
