import type { CustomLayerInterface } from 'maplibre-gl';
import { MARK_THEMES, type MarkTheme, type MarkThemeName } from '#components/ui/marks/mark-theme.ts';
import { destination } from '#lib/geo/great-circle.ts';
import { MERCATOR_MAX_LAT_DEG, mercatorX, mercatorY, nearestX } from '#lib/geo/mercator.ts';
import { CONFIDENCE_CLASSES } from '#lib/model/confidence.ts';
import { confidenceIndex, MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import type { Picture } from '#lib/picture/picture.ts';
import type { TrackColumns } from '#lib/picture/track-columns.ts';
import { MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import {
  floatHigh,
  floatLow,
  glslFloat,
  makeQuads,
  type QuadView,
  quadShaderHead,
  setSampling,
} from '../webgl/quads.ts';

interface VectorsLayerOptions {
  readonly theme: MarkThemeName;
  readonly onFailure: (error: Error) => void;
}

/**
 * The layer of speed vectors: from each mark a dashed line to where its reported speed and heading would lead, and the
 * minutes at its tip. Nothing was received there: vectors are never picked, and never counted as positions.
 */
export interface VectorsLayer extends CustomLayerInterface {
  /** @returns the number of vectors */
  setPicture(picture: Picture, columns: TrackColumns, minutes: number): number;
  setTheme(theme: MarkThemeName): void;
}

const COPIES_MARGIN = 0.5;

export function makeVectorsLayer(options: VectorsLayerOptions): VectorsLayer {
  const vectors = new VectorRecords();
  let theme = MARK_THEMES[options.theme];
  let label = '';
  let needsUpload = true;

  const { layer, repaint } = makeMercatorLayer<VectorRenderer>({
    id: 'speed-vectors',
    makeRenderer: makeVectorRenderer,
    onFailure: options.onFailure,
    isEmpty: () => vectors.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, _map, isNew) {
      if (needsUpload || isNew) renderer.upload(vectors);
      needsUpload = false;
      renderer.draw({ ...frame, theme, label }, vectors.count);
    },
  });

  return {
    ...layer,
    setPicture(picture, columns, minutes) {
      label = `${minutes} min`;
      if (vectors.pack(picture, columns, (minutes * MINUTE_MS) / SECOND_MS)) {
        needsUpload = true;
        repaint();
      }
      return vectors.count;
    },
    setTheme(name) {
      theme = MARK_THEMES[name];
      repaint();
    },
  };
}

/**
 * A record is a vector, in three texels of four float32:
 * - its start and its end, each as high x, high y, low x, low y (Mercator)
 * - opacity (0 to 1), and three unused numbers
 */
const VECTOR_TEXELS = 3;

const VECTOR_FLOATS = 4 * VECTOR_TEXELS;

const OPACITY_FLOAT = 8;

/** A way that is longer leads over a pole, where the map cannot show a straight line. */
const MAX_WAY_X = 0.25;

const STALE_LABEL = CONFIDENCE_CLASSES.indexOf('stale');

/** The records of vectors. Expired and stale tracks have none, nor has a track without a reported speed and heading. */
export class VectorRecords {
  #count = 0;
  #floats = new Float32Array(0);
  #words = new Uint32Array(0);
  /** For each slot, what its end was computed from, and the end. Only a new report computes it again. */
  #from = new Float64Array(0);
  #ends = new Float64Array(0);
  #seconds = 0;

  get count(): number {
    return this.#count;
  }

  words(): Uint32Array {
    return this.#words;
  }

  endAt(index: number): { readonly x: number; readonly y: number } {
    const at = index * VECTOR_FLOATS + 4;
    const [highX = 0, highY = 0, lowX = 0, lowY = 0] = this.#floats.subarray(at, at + 4);
    return { x: highX + lowX, y: highY + lowY };
  }

  /**
   * @param seconds how far ahead
   * @returns whether anything changed since the last call
   */
  pack(picture: Picture, columns: TrackColumns, seconds: number): boolean {
    this.#reserve(picture.capacity, columns.capacity);
    if (seconds !== this.#seconds) this.#from.fill(Number.NaN);
    this.#seconds = seconds;
    const floats = this.#floats;
    let changed = false;
    let count = 0;
    const set = (at: number, value: number) => {
      if (floats[at] === value) return;
      floats[at] = value;
      changed = true;
    };
    for (let index = 0; index < picture.count; index++) {
      const style = picture.style[index] as number;
      if ((style & MARK_EXPIRED) !== 0 || confidenceIndex(style) === STALE_LABEL) continue;
      const slot = picture.slot[index] as number;
      // A track that does not move has nothing ahead.
      if (!((columns.speedMps[slot] as number) > 0) || Number.isNaN(columns.headingDeg[slot])) continue;
      this.#findEnd(columns, slot, seconds);
      const endX = this.#ends[slot * 2] as number;
      const endY = this.#ends[slot * 2 + 1] as number;
      if (Number.isNaN(endX)) continue;
      const startX = picture.mercatorX[index] as number;
      const startY = picture.mercatorY[index] as number;
      const at = count * VECTOR_FLOATS;
      set(at, floatHigh(startX));
      set(at + 1, floatHigh(startY));
      set(at + 2, floatLow(startX));
      set(at + 3, floatLow(startY));
      set(at + 4, floatHigh(endX));
      set(at + 5, floatHigh(endY));
      set(at + 6, floatLow(endX));
      set(at + 7, floatLow(endY));
      set(at + OPACITY_FLOAT, floatHigh((picture.colour[index * 4 + 3] as number) / 255));
      count++;
    }
    changed ||= count !== this.#count;
    this.#count = count;
    return changed;
  }

  #findEnd(columns: TrackColumns, slot: number, seconds: number): void {
    const from = slot * 4;
    const lon = columns.lon[slot] as number;
    const lat = columns.lat[slot] as number;
    const headingDeg = columns.headingDeg[slot] as number;
    const speedMps = columns.speedMps[slot] as number;
    const known = this.#from;
    if (
      known[from] === lon &&
      known[from + 1] === lat &&
      known[from + 2] === headingDeg &&
      known[from + 3] === speedMps
    )
      return;
    known[from] = lon;
    known[from + 1] = lat;
    known[from + 2] = headingDeg;
    known[from + 3] = speedMps;
    const end = destination({ lon, lat }, headingDeg, speedMps * seconds);
    const startX = columns.mercatorX[slot] as number;
    const endX = nearestX(mercatorX(end.lon), startX);
    const isOnMap = Math.max(Math.abs(lat), Math.abs(end.lat)) <= MERCATOR_MAX_LAT_DEG;
    this.#ends[slot * 2] = isOnMap && Math.abs(endX - startX) <= MAX_WAY_X ? endX : Number.NaN;
    this.#ends[slot * 2 + 1] = mercatorY(end.lat);
  }

  #reserve(marks: number, slots: number): void {
    if (marks * VECTOR_FLOATS > this.#floats.length) {
      const floats = new Float32Array(marks * VECTOR_FLOATS);
      floats.set(this.#floats);
      this.#floats = floats;
      this.#words = new Uint32Array(floats.buffer);
    }
    if (slots * 4 > this.#from.length) {
      this.#from = new Float64Array(slots * 4).fill(Number.NaN);
      this.#ends = new Float64Array(slots * 2);
    }
  }
}

const UNIFORMS = ['u_pass', 'u_half_px', 'u_grow_px', 'u_device_px', 'u_label_px', 'u_colour'] as const;

const LINE_HALF_PX = 0.7;

const CASING_PX = 1;

const LABEL_FONT_PX = 10;

const LABEL_HEIGHT_PX = 15;

interface VectorFrame extends QuadView {
  readonly devicePixelRatio: number;
  readonly theme: MarkTheme;
  readonly label: string;
}

interface VectorRenderer {
  upload(vectors: VectorRecords): void;
  draw(frame: VectorFrame, count: number): void;
  dispose(): void;
}

function makeVectorRenderer(gl: WebGL2RenderingContext): VectorRenderer {
  const quads = makeQuads(gl, {
    vertex: VECTOR_VERTEX_SHADER,
    fragment: VECTOR_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: VECTOR_TEXELS,
  });
  const { uniforms } = quads;
  let label: LabelTexture | undefined;

  function drawLine(frame: VectorFrame, count: number, growPx: number, colour: number, opacity: number): void {
    gl.uniform1i(uniforms.u_pass, VECTOR_PASSES.line);
    gl.uniform1f(uniforms.u_half_px, LINE_HALF_PX + growPx);
    gl.uniform1f(uniforms.u_grow_px, growPx);
    gl.uniform4f(
      uniforms.u_colour,
      ((colour >> 16) & 255) / 255,
      ((colour >> 8) & 255) / 255,
      (colour & 255) / 255,
      opacity,
    );
    quads.draw(frame, count);
  }

  return {
    upload(vectors) {
      quads.upload(vectors.words(), vectors.count);
    },
    draw(frame, count) {
      const { theme, devicePixelRatio } = frame;
      const key = `${frame.label} ${devicePixelRatio} ${theme.ink}`;
      if (label?.key !== key) {
        if (label) gl.deleteTexture(label.texture);
        label = makeLabel(gl, frame, key);
      }
      quads.use(frame);
      gl.bindTexture(gl.TEXTURE_2D, label.texture);
      gl.uniform1f(uniforms.u_device_px, devicePixelRatio);
      gl.uniform2f(uniforms.u_label_px, label.widthPx, label.heightPx);
      drawLine(frame, count, CASING_PX, theme.halo, theme.haloOpacity);
      drawLine(frame, count, 0, theme.ink, 1);
      gl.uniform1i(uniforms.u_pass, VECTOR_PASSES.label);
      quads.draw(frame, count);
      gl.bindVertexArray(null);
    },
    dispose() {
      quads.dispose();
      if (label) gl.deleteTexture(label.texture);
    },
  };
}

interface LabelTexture {
  readonly key: string;
  readonly texture: WebGLTexture;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** One image for all vectors: MapLibre would lay out thousands of text symbols at every answer. */
function makeLabel(
  gl: WebGL2RenderingContext,
  { label, theme, devicePixelRatio }: VectorFrame,
  key: string,
): LabelTexture {
  const canvas = document.createElement('canvas');
  const font = `400 ${LABEL_FONT_PX * devicePixelRatio}px "JetBrains Mono Variable", monospace`;
  const measured = canvas.getContext('2d');
  if (measured) measured.font = font;
  const textWidth = measured?.measureText(label).width ?? 0;
  canvas.width = Math.ceil(textWidth + 6 * devicePixelRatio);
  canvas.height = Math.ceil(LABEL_HEIGHT_PX * devicePixelRatio);
  const context = canvas.getContext('2d');
  if (context) {
    context.font = font;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 3 * devicePixelRatio;
    context.strokeStyle = css(theme.halo);
    context.fillStyle = css(theme.ink);
    context.strokeText(label, canvas.width / 2, canvas.height / 2);
    context.fillText(label, canvas.width / 2, canvas.height / 2);
  }
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
  setSampling(gl, gl.TEXTURE_2D, gl.LINEAR);
  return { key, texture, widthPx: canvas.width / devicePixelRatio, heightPx: canvas.height / devicePixelRatio };
}

function css(hex: number): string {
  return `#${hex.toString(16).padStart(6, '0')}`;
}

/** A vector begins outside its mark, in CSS pixels; shorter ones are not drawn. */
const START_PX = 15;

const DASH_PX = 5;

const DASH_EVERY_PX = 9;

/** A label on a shorter vector would cover the mark. */
const LABEL_FROM_PX = 44;

const LABEL_APART_PX = 4;

const VECTOR_PASSES = { line: 0, label: 1 } as const;

/** A quad along the line, or around the label beyond its tip. */
const VECTOR_VERTEX_SHADER = `${quadShaderHead(VECTOR_TEXELS)}
uniform int u_pass;
uniform float u_half_px; // half the width of the line
uniform vec2 u_label_px; // size of the label

out vec2 v_px; // along the line from its start, and across it
out vec2 v_label; // place in the label's image
flat out float v_length_px;
flat out float v_opacity;

vec2 screen(vec4 place) {
  vec4 clip = u_matrix * vec4(relative(place), 0.0, 1.0);
  return clip.xy / clip.w * u_view_px * 0.5;
}

void main() {
  vec2 from = screen(uintBitsToFloat(record(0)));
  vec2 to = screen(uintBitsToFloat(record(1)));
  float length_px = distance(from, to);
  bool is_label = u_pass == ${VECTOR_PASSES.label};
  if (length_px <= (is_label ? ${glslFloat(LABEL_FROM_PX)} : ${glslFloat(START_PX)})) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside the clip volume: nothing is drawn
    return;
  }
  v_opacity = uintBitsToFloat(record(2).x);
  v_length_px = length_px;
  vec2 along = (to - from) / length_px;
  vec2 at;
  if (is_label) {
    vec2 side = vec2(corner());
    // The label is beyond the tip, so that the line does not run through it, and on whole pixels, so that it is sharp.
    vec2 reach = abs(along) * u_label_px * 0.5;
    vec2 middle = to + along * (min(reach.x / max(abs(along.x), 0.001), reach.y / max(abs(along.y), 0.001)) + ${glslFloat(LABEL_APART_PX)});
    v_label = vec2(side.x, side.y);
    at = floor(middle - u_label_px * 0.5) + vec2(side.x, 1.0 - side.y) * u_label_px;
    v_px = vec2(0.0);
  } else {
    vec2 across = vec2(-along.y, along.x);
    vec2 side = vec2(corner()) * vec2(1.0, 2.0) - vec2(0.0, 1.0);
    v_px = vec2(mix(${glslFloat(START_PX)} - u_half_px, length_px + u_half_px, side.x), side.y * (u_half_px + 1.0));
    v_label = vec2(0.0);
    at = from + along * v_px.x + across * v_px.y;
  }
  gl_Position = vec4(at / u_view_px * 2.0, 0.0, 1.0);
}
`;

const VECTOR_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;

in vec2 v_px;
in vec2 v_label;
flat in float v_length_px;
flat in float v_opacity;

uniform int u_pass;
uniform float u_half_px;
uniform float u_grow_px; // of the casing, along each dash
uniform float u_device_px; // of one CSS pixel
uniform vec4 u_colour; // not premultiplied
uniform sampler2D u_label;

out vec4 fragColor;

void main() {
  if (u_pass == ${VECTOR_PASSES.label}) {
    fragColor = texture(u_label, v_label) * v_opacity;
    return;
  }
  // Dashes are counted from the tip, which then always ends in one.
  float back = v_length_px - v_px.x;
  float in_dash = ${glslFloat(DASH_PX / 2)} - abs(mod(back, ${glslFloat(DASH_EVERY_PX)}) - ${glslFloat(DASH_PX / 2)}) + u_grow_px;
  float inside = min(in_dash, u_half_px - abs(v_px.y));
  float alpha = clamp(inside * u_device_px + 0.5, 0.0, 1.0) * u_colour.a * v_opacity;
  if (alpha == 0.0) discard;
  fragColor = vec4(u_colour.rgb, 1.0) * alpha;
}
`;
