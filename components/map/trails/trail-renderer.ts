import { floatHigh, floatLow } from '../webgl/float-pair.ts';
import { linkProgram } from '../webgl/link-program.ts';
import { relativeMatrix } from '../webgl/relative-matrix.ts';
import type { WorldCopies } from '../webgl/world-copies.ts';
import { LINE_BYTES, LINE_FLOATS, LINE_LOOK_OFFSET_BYTES, SHOWN_OFFSET_BYTES, type TrailLines } from './trail-lines.ts';
import { TRAIL_FRAGMENT_SHADER, TRAIL_VERTEX_SHADER } from './trail-shaders.ts';

const UNIFORM_NAMES = [
  'u_matrix',
  'u_origin',
  'u_view_px',
  'u_time',
  'u_half_px',
  'u_dot_px',
  'u_grow_px',
  'u_device_px',
  'u_opacity',
  'u_tint',
  'u_ground',
] as const;
type UniformName = (typeof UNIFORM_NAMES)[number];

/** One drawing pass over all lines: first their casing, if they have one, then the lines. */
export interface TrailPass {
  /** How much wider than the lines on each side, CSS pixels. */
  readonly growPx: number;
  /** Red, green and blue, and how far a line's own colour is mixed towards it; each 0 to 1. */
  readonly tint: readonly [number, number, number, number];
  /** The colour that lines fade towards, each channel 0 to 1. */
  readonly ground: readonly [number, number, number];
}

interface TrailFrame {
  /** Column-major, Mercator 0…1 to clip space, in double precision. */
  readonly matrix: ArrayLike<number>;
  readonly copies: WorldCopies;
  /** Mercator position of the middle of the view, where single precision must be best. */
  readonly originX: number;
  readonly originY: number;
  /** In CSS pixels. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly devicePixelRatio: number;
  /** Cursor of the replay, relative to the lines' base. */
  readonly timeMs: number;
  /** Opacity of the past, and of what lies after the cursor. */
  readonly opacity: readonly [past: number, ahead: number];
  readonly halfPx: number;
  readonly dotPx: number;
  readonly passes: readonly TrailPass[];
}

/** Draws trails in one WebGL context. Restores no GL state: for use inside a layer's `render`. */
export interface TrailRenderer {
  upload(lines: TrailLines): void;
  draw(frame: TrailFrame, count: number): void;
  dispose(): void;
}

const QUAD_CORNERS = 4;

/** @throws Error with the driver's message if the shaders don't compile */
export function makeTrailRenderer(gl: WebGL2RenderingContext): TrailRenderer {
  const program = linkProgram(gl, TRAIL_VERTEX_SHADER, TRAIL_FRAGMENT_SHADER);
  const buffer = gl.createBuffer();
  const vertexArray = makeVertexArray(gl, buffer);
  const uniforms = Object.fromEntries(
    UNIFORM_NAMES.map((name) => [name, gl.getUniformLocation(program, name)]),
  ) as Record<UniformName, WebGLUniformLocation | null>;
  const singleMatrix = new Float32Array(16);

  return {
    upload(lines) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      // Orphans the old storage, so that the driver need not wait for a frame that still reads it.
      gl.bufferData(gl.ARRAY_BUFFER, lines.count * LINE_BYTES, gl.DYNAMIC_DRAW);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, lines.floats(), 0, lines.count * LINE_FLOATS);
    },
    draw(frame, count) {
      const { originX, originY, copies, matrix } = frame;
      // biome-ignore lint/correctness/useHookAtTopLevel: a WebGL call, no hook of React.
      gl.useProgram(program);
      gl.bindVertexArray(vertexArray);
      gl.uniformMatrix4fv(uniforms.u_matrix, false, relativeMatrix(singleMatrix, matrix, originX, originY));
      gl.uniform2f(uniforms.u_view_px, frame.widthPx, frame.heightPx);
      gl.uniform1f(uniforms.u_time, frame.timeMs);
      gl.uniform2f(uniforms.u_opacity, ...frame.opacity);
      gl.uniform1f(uniforms.u_half_px, frame.halfPx);
      gl.uniform1f(uniforms.u_dot_px, frame.dotPx);
      gl.uniform1f(uniforms.u_device_px, frame.devicePixelRatio);
      for (const { growPx, tint, ground } of frame.passes) {
        gl.uniform1f(uniforms.u_grow_px, growPx);
        gl.uniform4f(uniforms.u_tint, ...tint);
        gl.uniform3f(uniforms.u_ground, ...ground);
        for (let copy = copies.first; copy <= copies.last; copy++) {
          // Moves a copy's lines by moving the origin the other way.
          const x = originX - copy;
          gl.uniform4f(uniforms.u_origin, floatHigh(x), floatHigh(originY), floatLow(x), floatLow(originY));
          gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, QUAD_CORNERS, count);
        }
      }
      gl.bindVertexArray(null);
    },
    dispose() {
      gl.deleteVertexArray(vertexArray);
      gl.deleteBuffer(buffer);
      gl.deleteProgram(program);
    },
  };
}

function makeVertexArray(gl: WebGL2RenderingContext, buffer: WebGLBuffer): WebGLVertexArrayObject {
  const vertexArray = gl.createVertexArray();
  gl.bindVertexArray(vertexArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.vertexAttribPointer(0, 4, gl.FLOAT, false, LINE_BYTES, 0);
  gl.vertexAttribPointer(1, 4, gl.FLOAT, false, LINE_BYTES, 16);
  gl.vertexAttribPointer(2, 2, gl.FLOAT, false, LINE_BYTES, SHOWN_OFFSET_BYTES);
  gl.vertexAttribIPointer(3, 4, gl.UNSIGNED_BYTE, LINE_BYTES, LINE_LOOK_OFFSET_BYTES);
  for (let location = 0; location < 4; location++) {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribDivisor(location, 1);
  }
  gl.bindVertexArray(null);
  return vertexArray;
}
