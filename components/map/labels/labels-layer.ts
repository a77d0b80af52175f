import type { CustomLayerInterface } from 'maplibre-gl';
import { LINE_OPACITY_FLOOR } from '#components/ui/marks/mark-measures.ts';
import { MARK_THEMES, type MarkTheme, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import { ZONE_TONES } from '#lib/model/zone-tones.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import {
  channels,
  floatHigh,
  floatLow,
  glslFloat,
  makeQuads,
  type QuadView,
  quadShaderHead,
  setSampling,
} from '../webgl/quads.ts';
import { LABEL_SIDES, type LabelSide, labelCorner } from './place-labels.ts';

const LABELS_LAYER = 'track-labels';

interface LabelsLayerOptions {
  readonly theme: MarkThemeName;
  readonly textPx: number;
  /** Called once if the GPU refuses the shaders: no label is drawn from then on. */
  readonly onFailure: (error: Error) => void;
  readonly onFont: () => void;
}

/**
 * The layer of labels: plates and glyphs as quads next to marks, from an atlas that is drawn as characters appear. A
 * symbol layer of MapLibre is laid out in a worker and would lag some frames behind the marks. It draws nothing on a
 * globe, and does not choose which tracks have a label (track-labels.ts).
 */
export interface LabelsLayer extends CustomLayerInterface {
  setLabels(labels: readonly PlacedLabel[]): void;
  setTheme(theme: MarkThemeName): void;
  setTextPx(textPx: number): void;
  metrics(): GlyphMetrics;
}

/** Fraction of half the view that a label reaches from its mark's world copy. */
const COPIES_MARGIN = 0.3;

export function makeLabelsLayer(options: LabelsLayerOptions): LabelsLayer {
  const records = new LabelRecords();
  let theme = MARK_THEMES[options.theme];
  let tones = tonesOf(options.theme);
  let { textPx } = options;
  let atlas: GlyphAtlas | undefined;
  let labels: readonly PlacedLabel[] = [];
  let needsUpload = true;

  const { layer, map, repaint } = makeMercatorLayer<LabelRenderer>({
    id: LABELS_LAYER,
    makeRenderer: makeLabelRenderer,
    onFailure: options.onFailure,
    isEmpty: () => records.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, drawnMap, isNew) {
      if (metrics().pixelRatio !== drawnMap.getPixelRatio()) renewAtlas();
      if (needsUpload || isNew) renderer.upload(records);
      needsUpload = false;
      const glyphs = metrics();
      if (glyphs.hasNew || isNew) renderer.uploadAtlas(glyphs.canvas);
      glyphs.hasNew = false;
      renderer.draw({ ...frame, cellTexels: glyphs.cellTexels, theme, tones }, records.count);
    },
  });

  function renewAtlas(): void {
    atlas = undefined;
    records.pack(labels, metrics());
    needsUpload = true;
    repaint();
  }

  function metrics(): GlyphAtlas {
    atlas ??= new GlyphAtlas(textPx, map()?.getPixelRatio() ?? 1, () => {
      renewAtlas();
      options.onFont();
    });
    return atlas;
  }

  return {
    ...layer,
    setLabels(changed) {
      labels = changed;
      if (!records.pack(labels, metrics())) return;
      needsUpload = true;
      repaint();
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      tones = tonesOf(name);
      repaint();
    },
    setTextPx(changedPx) {
      if (changedPx === textPx) return;
      textPx = changedPx;
      renewAtlas();
    },
    metrics,
  };
}

export interface PlacedLabel {
  readonly mercatorX: number;
  readonly mercatorY: number;
  /** Half the side of the label's mark, in CSS pixels. */
  readonly halfPx: number;
  readonly side: LabelSide;
  readonly lines: readonly string[];
  readonly opacity: number;
  readonly emergency: boolean;
  readonly isBadge: boolean;
  /** The plate's frame has this colour of `ZONE_TONES`. */
  readonly tone?: number | undefined;
}

/**
 * A record is a plate or a glyph, in two texels of four words:
 * - high x, high y, low x, low y of the mark (float32)
 * - offset of the upper left corner (16 bits each, signed, x lowest, 1/16 CSS pixels, y down)
 * - column and row in the atlas (16 bits each)
 * - opacity (lowest byte) and flags
 * - cell width in texels, or plate width and height (16 bits each, 1/16 CSS pixels)
 */
export const GLYPH_TEXELS = 2;

const GLYPH_WORDS = 4 * GLYPH_TEXELS;

export const OFFSET_STEPS_PER_PX = 16;

const OF_EMERGENCY = 0x100;

export const IS_PLATE = 0x200;

export const OF_BADGE = 0x400;

/** These four bits hold a plate's tone, counted from 1. */
const TONE_SHIFT = 12;

const FRAME_PX = 1.25;

const PLATE_PAD_PX = { x: 2.5, y: 0.5 } as const;

export function labelSizePx(lines: readonly string[], metrics: GlyphMetrics): { widthPx: number; heightPx: number } {
  const widthPx = Math.max(0, ...lines.map((line) => lineWidthPx(line, metrics)));
  return { widthPx: widthPx + 2 * PLATE_PAD_PX.x, heightPx: lines.length * metrics.linePx + 2 * PLATE_PAD_PX.y };
}

/** Labels as records. `pack` writes over the labels before. */
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
    const { mercatorX, mercatorY, opacity, emergency, isBadge, tone } = label;
    const at = this.#count * GLYPH_WORDS;
    if (at + GLYPH_WORDS > this.#words.length) this.#grow();
    const [floats, words] = [this.#floats, this.#words];
    floats[at] = floatHigh(mercatorX);
    floats[at + 1] = floatHigh(mercatorY);
    floats[at + 2] = floatLow(mercatorX);
    floats[at + 3] = floatLow(mercatorY);
    words[at + 4] = (offsetSteps(x) & 0xffff) | (offsetSteps(y) << 16);
    words[at + 5] = place;
    const framed = tone === undefined ? 0 : (tone + 1) << TONE_SHIFT;
    words[at + 6] = opacity | flags | framed | (emergency ? OF_EMERGENCY : 0) | (isBadge ? OF_BADGE : 0);
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

/** The frames' colours in the form of a uniform. */
function tonesOf(theme: MarkThemeName): Float32Array {
  return Float32Array.from(ZONE_TONES[theme].flatMap((hex) => channels(Number.parseInt(hex.slice(1), 16))));
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

const FAMILY = '"JetBrains Mono Variable", ui-monospace, monospace';

const HALO_PX = 1.4;

/** A cell leaves so much room around a glyph for its halo. */
const PAD_PX = 2;

/** An atlas this wide and high holds about 500 glyphs at any resolution. */
const SIDE_PX = 256;

const REPLACEMENT = '\ufffd';

interface Glyph {
  readonly column: number;
  readonly row: number;
  readonly width: number;
  readonly advancePx: number;
}

export interface GlyphMetrics {
  readonly cellTexels: number;
  /** The distance of a glyph from its cell's edge. */
  readonly padPx: number;
  readonly linePx: number;
  glyph(character: string): Glyph;
}

/** An image of glyphs, each drawn on first use. Red is the halo's coverage, green the text's. */
class GlyphAtlas implements GlyphMetrics {
  readonly cellTexels: number;
  readonly padPx = PAD_PX;
  /** How many texels a CSS pixel has. */
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
      // Without its font a label keeps the system's.
      document.fonts.load(this.#font, character).then(this.#onFont, () => undefined);
    }
    return glyph;
  }
}

const UNIFORMS = ['u_device_px', 'u_cell_texels', 'u_text', 'u_emergency', 'u_halo', 'u_tones'] as const;

interface LabelFrame extends QuadView {
  readonly devicePixelRatio: number;
  readonly cellTexels: number;
  readonly theme: MarkTheme;
  readonly tones: Float32Array;
}

interface LabelRenderer {
  upload(records: LabelRecords): void;
  uploadAtlas(canvas: HTMLCanvasElement): void;
  draw(frame: LabelFrame, count: number): void;
  dispose(): void;
}

function makeLabelRenderer(gl: WebGL2RenderingContext): LabelRenderer {
  const quads = makeQuads(gl, {
    vertex: LABEL_VERTEX_SHADER,
    fragment: LABEL_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: GLYPH_TEXELS,
  });
  const { uniforms } = quads;
  const texture = gl.createTexture();

  function bindAtlas(): void {
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  }

  return {
    upload(records) {
      quads.upload(records.words, records.count);
    },
    uploadAtlas(canvas) {
      bindAtlas();
      gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
      gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG8, gl.RG, gl.UNSIGNED_BYTE, canvas);
      setSampling(gl, gl.TEXTURE_2D, gl.NEAREST);
    },
    draw(frame, count) {
      quads.use(frame);
      bindAtlas();
      gl.uniform1f(uniforms.u_device_px, frame.devicePixelRatio);
      gl.uniform1f(uniforms.u_cell_texels, frame.cellTexels);
      gl.uniform3f(uniforms.u_text, ...channels(frame.theme.ink));
      gl.uniform3f(uniforms.u_emergency, ...channels(frame.theme.emergency));
      gl.uniform3f(uniforms.u_halo, ...channels(frame.theme.halo));
      gl.uniform3fv(uniforms.u_tones, frame.tones);
      quads.draw(frame, count);
      gl.bindVertexArray(null);
    },
    dispose() {
      quads.dispose();
      gl.deleteTexture(texture);
    },
  };
}

const SEEN_THROUGH_PLATE = 0.3;

/** Corners are at whole device pixels, so that text is as sharp as the browser's. */
const LABEL_VERTEX_SHADER = `${quadShaderHead(GLYPH_TEXELS)}
uniform float u_device_px; // device pixels per CSS pixel
uniform float u_cell_texels;

out vec2 v_texel;
flat out vec2 v_plate_texels;
flat out float v_opacity;
flat out int v_flags;

void main() {
  uvec4 glyph = record(1);
  vec4 clip = u_matrix * vec4(relative(uintBitsToFloat(record(0))), 0.0, 1.0);
  vec2 view = u_view_px * u_device_px;
  vec2 place = floor((clip.xy / clip.w * 0.5 + 0.5) * view + 0.5);
  vec2 offset = vec2(int(glyph.x << 16) >> 16, int(glyph.x) >> 16) * u_device_px / ${glslFloat(OFFSET_STEPS_PER_PX)};
  bool isPlate = (glyph.z & ${IS_PLATE}u) != 0u;
  vec2 plate = vec2(glyph.w & 0xffffu, glyph.w >> 16) * u_device_px / ${glslFloat(OFFSET_STEPS_PER_PX)};
  vec2 texels = vec2(corner()) * (isPlate ? floor(plate + 0.5) : vec2(float(glyph.w), u_cell_texels));
  vec2 at = floor(offset + 0.5) + texels;
  v_plate_texels = floor(plate + 0.5);
  v_texel = vec2(glyph.y & 0xffffu, glyph.y >> 16) + texels;
  v_opacity = mix(${glslFloat(LINE_OPACITY_FLOOR)}, 1.0, float(glyph.z & 0xffu) / 255.0);
  v_flags = int(glyph.z);
  gl_Position = vec4((place + vec2(at.x, -at.y)) / view * 2.0 - 1.0, 0.0, 1.0);
}
`;

const LABEL_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision mediump sampler2D;

uniform sampler2D u_atlas;
uniform vec3 u_text;
uniform vec3 u_emergency;
uniform vec3 u_halo;
uniform vec3 u_tones[${ZONE_TONES.dark.length}];
uniform float u_device_px;

in vec2 v_texel;
flat in vec2 v_plate_texels;
flat in float v_opacity;
flat in int v_flags;

out vec4 fragColor;

void main() {
  bool isBadge = (v_flags & ${OF_BADGE}) != 0;
  vec3 ground = isBadge ? u_emergency : u_halo;
  if ((v_flags & ${IS_PLATE}) != 0) {
    vec2 from_edge = min(v_texel, v_plate_texels - v_texel);
    int tone = v_flags >> ${TONE_SHIFT} & 15;
    if (tone > 0 && !isBadge && min(from_edge.x, from_edge.y) < ${glslFloat(FRAME_PX)} * u_device_px) {
      fragColor = vec4((v_flags & ${OF_EMERGENCY}) == 0 ? u_tones[tone - 1] : u_emergency, 1.0) * v_opacity;
      return;
    }
    fragColor = vec4(ground, 1.0) * v_opacity * (isBadge ? 1.0 : ${glslFloat(1 - SEEN_THROUGH_PLATE)});
    return;
  }
  vec2 coverage = texture(u_atlas, v_texel / vec2(textureSize(u_atlas, 0))).rg * v_opacity;
  vec3 colour = isBadge ? u_halo : (v_flags & ${OF_EMERGENCY}) == 0 ? u_text : u_emergency;
  fragColor = vec4(ground, 1.0) * coverage.r * (1.0 - coverage.g) + vec4(colour, 1.0) * coverage.g;
}
`;
