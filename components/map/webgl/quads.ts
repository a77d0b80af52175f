import type { WorldCopies } from './world-copies.ts';

/**
 * Draws records as quads: marks, labels, trails and vectors each bring a vertex and a fragment shader, and write their
 * records into 32-bit words. It restores no GL state: callers unbind what they bound.
 */

export interface QuadView {
  /** The matrix from Mercator 0…1 to clip space, column-major and in double precision. */
  readonly matrix: ArrayLike<number>;
  readonly copies: WorldCopies;
  /** Mercator middle of the view, where single precision must be best. */
  readonly originX: number;
  readonly originY: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

const QUAD_VERTICES = 4;

/**
 * Declares `u_matrix` (Mercator relative to the origin, to clip space), `u_view_px` (CSS pixels), `record(texel)`,
 * `corner()` (x and y, each 0 or 1) and `relative(place)`. Indexed: each corner is computed once for both triangles.
 */
export const quadShaderHead = (recordTexels: number) => `#version 300 es
precision highp float;
precision highp int;

uniform highp usampler2D u_records;
uniform int u_first; // record of the call's first quad
uniform mat4 u_matrix; // mercator relative to the origin, to clip space
uniform vec4 u_origin; // high x, high y, low x, low y
uniform vec2 u_view_px; // the view in CSS pixels

uvec4 record(int texel) {
  int at = (u_first + gl_VertexID / ${QUAD_VERTICES}) * ${recordTexels} + texel;
  int row = textureSize(u_records, 0).x;
  return texelFetch(u_records, ivec2(at % row, at / row), 0);
}

ivec2 corner() {
  int side = gl_VertexID % ${QUAD_VERTICES};
  return ivec2(side & 1, side >> 1);
}

// Relative to the middle of the view before any multiplication, so that single precision is enough.
vec2 relative(vec4 place) {
  return (place.xy - u_origin.xy) + (place.zw - u_origin.zw);
}
`;

export function glslFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** 0xRRGGBB to red, green and blue, each 0 to 1. */
export function channels(hex: number): [number, number, number] {
  return [((hex >> 16) & 0xff) / 255, ((hex >> 8) & 0xff) / 255, (hex & 0xff) / 255];
}

/**
 * The nearest float; `floatLow` is the rest. Together a Mercator position has an error below 2⁻⁴⁹, under a millionth of a
 * pixel at zoom 20.
 */
export function floatHigh(value: number): number {
  return Math.fround(value);
}

export function floatLow(value: number): number {
  return Math.fround(value - Math.fround(value));
}

export interface RecordTexture {
  readonly texture: WebGLTexture | undefined;
  upload(words: Uint32Array, records: number): void;
  /** Writes some records again; `upload` must have made room for them. */
  update(words: Uint32Array, first: number, records: number): void;
  /** Whether an `upload` has made this much room. */
  hasCapacity(records: number): boolean;
  dispose(): void;
}

interface Quads<Uniform extends string> extends Pick<RecordTexture, 'upload' | 'update' | 'hasCapacity'> {
  readonly uniforms: Readonly<Record<Uniform, WebGLUniformLocation | null>>;
  use(view: QuadView): void;
  draw(view: QuadView, records: number, first?: number): void;
  dispose(): void;
}

interface QuadShaders<Uniform extends string> {
  readonly vertex: string;
  readonly fragment: string;
  readonly uniforms: readonly Uniform[];
  readonly recordTexels: number;
  readonly records?: RecordTexture;
}

const QUAD_INDICES = [0, 1, 2, 2, 1, 3];

/** 16-bit indices allow no more quads in a call; the last index would restart the primitive. */
const QUADS_IN_CALL = 16_383;

const RECORDS_UNIT = 1;

/**
 * Records are in a texture, because software renderers draw each instance as its own draw call. The quads are invalid
 * once the context is lost.
 * @throws Error with the driver's message if the shaders don't compile
 */
export function makeQuads<Uniform extends string>(
  gl: WebGL2RenderingContext,
  { vertex, fragment, uniforms: names, recordTexels, records }: QuadShaders<Uniform>,
): Quads<Uniform> {
  const program = linkProgram(gl, vertex, fragment);
  const shared = records ?? makeRecordTexture(gl, recordTexels);
  const uniforms = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
  const matrixAt = gl.getUniformLocation(program, 'u_matrix');
  const originAt = gl.getUniformLocation(program, 'u_origin');
  const viewAt = gl.getUniformLocation(program, 'u_view_px');
  const recordsAt = gl.getUniformLocation(program, 'u_records');
  const firstAt = gl.getUniformLocation(program, 'u_first');
  const corners = gl.createVertexArray();
  const indices = gl.createBuffer();
  gl.bindVertexArray(corners);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, quadIndices(), gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  const singleMatrix = new Float32Array(16);

  return {
    uniforms: uniforms as Record<Uniform, WebGLUniformLocation | null>,
    upload: shared.upload,
    update: shared.update,
    hasCapacity: shared.hasCapacity,
    use({ matrix, originX, originY, widthPx, heightPx }) {
      // biome-ignore lint/correctness/useHookAtTopLevel: a WebGL call, no hook of React.
      gl.useProgram(program);
      gl.bindVertexArray(corners);
      gl.activeTexture(gl.TEXTURE0 + RECORDS_UNIT);
      gl.bindTexture(gl.TEXTURE_2D, shared.texture ?? null);
      gl.activeTexture(gl.TEXTURE0);
      gl.uniform1i(recordsAt, RECORDS_UNIT);
      gl.uniformMatrix4fv(matrixAt, false, relativeMatrix(singleMatrix, matrix, originX, originY));
      gl.uniform2f(viewAt, widthPx, heightPx);
    },
    draw({ originX, originY, copies }, records, first = 0) {
      for (let copy = copies.first; copy <= copies.last; copy++) {
        // Moves a copy's quads by moving the origin the other way.
        const x = originX - copy;
        gl.uniform4f(originAt, floatHigh(x), floatHigh(originY), floatLow(x), floatLow(originY));
        for (let from = first, end = first + records; from < end; from += QUADS_IN_CALL) {
          const quads = Math.min(QUADS_IN_CALL, end - from);
          gl.uniform1i(firstAt, from);
          gl.drawElements(gl.TRIANGLES, quads * QUAD_INDICES.length, gl.UNSIGNED_SHORT, 0);
        }
      }
    },
    dispose() {
      gl.deleteVertexArray(corners);
      gl.deleteBuffer(indices);
      if (records === undefined) shared.dispose();
      gl.deleteProgram(program);
    },
  };
}

function quadIndices(): Uint16Array<ArrayBuffer> {
  return Uint16Array.from({ length: QUADS_IN_CALL * QUAD_INDICES.length }, (_, at) => {
    const quad = Math.floor(at / QUAD_INDICES.length);
    return quad * QUAD_VERTICES + QUAD_INDICES[at % QUAD_INDICES.length]!;
  });
}

/**
 * Rebases `matrix` (column-major) in double precision, so that single precision only represents short distances.
 * @returns `target`, overwritten
 */
export function relativeMatrix(
  target: Float32Array,
  matrix: ArrayLike<number>,
  originX: number,
  originY: number,
): Float32Array {
  for (let row = 0; row < 4; row++) {
    const xColumn = matrix[row]!;
    const yColumn = matrix[4 + row]!;
    target[row] = xColumn;
    target[4 + row] = yColumn;
    target[8 + row] = matrix[8 + row]!;
    target[12 + row] = xColumn * originX + yColumn * originY + matrix[12 + row]!;
  }
  return target;
}

/** @throws Error with the driver's message if the shaders don't compile or link */
function linkProgram(gl: WebGL2RenderingContext, vertexShader: string, fragmentShader: string): WebGLProgram {
  const program = gl.createProgram();
  const shaders = [
    compileShader(gl, gl.VERTEX_SHADER, vertexShader),
    compileShader(gl, gl.FRAGMENT_SHADER, fragmentShader),
  ];
  for (const shader of shaders) gl.attachShader(program, shader);
  gl.linkProgram(program);
  // Queried once: each query waits for the driver. In a lost context every call fails; the map then adds its layers
  // again.
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = [...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(program)];
    throw new Error(`The shaders do not link: ${logs.filter(Boolean).join('\n')}`);
  }
  for (const shader of shaders) gl.deleteShader(shader);
  return program;
}

/** Sets how the bound texture is read; beyond its edge the edge is repeated. */
export function setSampling(gl: WebGL2RenderingContext, target: GLenum, filter: GLenum): void {
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

function compileShader(gl: WebGL2RenderingContext, type: GLenum, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (shader === null) throw new Error('No shader can be made in this WebGL context');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** A row of the record texture is no longer: a square of such rows holds millions of records. */
const MAX_ROW_TEXELS = 4096;

/** A texel is 16 bytes. */
const TEXEL_WORDS = 4;

export function makeRecordTexture(gl: WebGL2RenderingContext, recordTexels: number): RecordTexture {
  const rowTexels = Math.min(gl.getParameter(gl.MAX_TEXTURE_SIZE), MAX_ROW_TEXELS);
  let texture: WebGLTexture | undefined;
  let rows = 0;

  function reserve(wantedRows: number): void {
    gl.activeTexture(gl.TEXTURE0 + RECORDS_UNIT);
    if (texture === undefined || wantedRows > rows) {
      if (texture) gl.deleteTexture(texture);
      rows = Math.max(wantedRows, 2 * rows);
      texture = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32UI, rowTexels, rows);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    } else gl.bindTexture(gl.TEXTURE_2D, texture);
  }

  function write(row: number, width: number, height: number, words: Uint32Array): void {
    if (width * height === 0) return;
    const first = row * rowTexels * TEXEL_WORDS;
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, width, height, gl.RGBA_INTEGER, gl.UNSIGNED_INT, words, first);
  }

  /** Sets how images are unpacked, since MapLibre leaves it set for its last image. */
  function setUnpacking(): void {
    gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
  }

  return {
    get texture() {
      return texture;
    },
    upload(words, records) {
      const texels = records * recordTexels;
      const fullRows = Math.floor(texels / rowTexels);
      reserve(Math.max(1, Math.ceil(texels / rowTexels)));
      setUnpacking();
      write(0, rowTexels, fullRows, words);
      write(fullRows, texels % rowTexels, 1, words);
    },
    update(words, first, records) {
      const firstRow = Math.floor((first * recordTexels) / rowTexels);
      const endRow = Math.ceil(((first + records) * recordTexels) / rowTexels);
      const wordTexels = Math.floor(words.length / TEXEL_WORDS);
      // The last row of the words may be shorter than the texture's.
      const fullEnd = Math.min(endRow, Math.floor(wordTexels / rowTexels));
      reserve(rows);
      setUnpacking();
      write(firstRow, rowTexels, Math.max(0, fullEnd - firstRow), words);
      if (fullEnd < endRow) write(fullEnd, wordTexels % rowTexels, 1, words);
    },
    hasCapacity: (records) => texture !== undefined && records * recordTexels <= rows * rowTexels,
    dispose: () => gl.deleteTexture(texture ?? null),
  };
}
