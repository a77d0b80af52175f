import { AGE_STOPS, AGE_TOP_S } from '#lib/model/mark-colour.ts';
import { makeQuads, type QuadView } from '../webgl/quads.ts';
import { LINE_TEXELS, type TrailLines } from './trail-lines.ts';
import { TRAIL_FRAGMENT_SHADER, TRAIL_VERTEX_SHADER } from './trail-shaders.ts';

const UNIFORMS = [
  'u_time',
  'u_half_px',
  'u_dot_px',
  'u_grow_px',
  'u_device_px',
  'u_opacity',
  'u_age_top_ms',
  'u_age_stops',
  'u_tint',
  'u_ground',
] as const;

/** One drawing pass over all lines: first their casing, if they have one, then the lines. */
export interface TrailPass {
  /** How much wider than the lines on each side, CSS pixels. */
  readonly growPx: number;
  /** Red, green and blue, and how far a line's own colour is mixed towards it; each 0 to 1. */
  readonly tint: readonly [number, number, number, number];
  /** The colour that lines fade towards, each channel 0 to 1. */
  readonly ground: readonly [number, number, number];
}

interface TrailFrame extends QuadView {
  readonly devicePixelRatio: number;
  /** Cursor of the replay, relative to the lines' base. */
  readonly timeMs: number;
  /** Whether lines have the colour of their age, in place of their own. */
  readonly byAge: boolean;
  readonly opacity: readonly [past: number, ahead: number];
  readonly halfPx: number;
  readonly dotPx: number;
  readonly passes: readonly TrailPass[];
}

/** Draws trails in one WebGL context. Restores no GL state: for use inside a layer's `render`. */
export interface TrailRenderer {
  upload(lines: TrailLines): void;
  /** Uploads the lines that were set since the last upload. */
  update(lines: TrailLines): void;
  draw(frame: TrailFrame, count: number): void;
  dispose(): void;
}

/** @throws Error with the driver's message if the shaders don't compile */
export function makeTrailRenderer(gl: WebGL2RenderingContext): TrailRenderer {
  const quads = makeQuads(gl, {
    vertex: TRAIL_VERTEX_SHADER,
    fragment: TRAIL_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: LINE_TEXELS,
  });
  const { uniforms } = quads;
  const ageStops = new Float32Array(AGE_STOPS.flat());

  return {
    upload(lines) {
      lines.takeChanges(() => {});
      quads.upload(lines.words(), lines.count);
    },
    update(lines) {
      if (!quads.hasCapacity(lines.count)) return this.upload(lines);
      lines.takeChanges((first, count) => quads.update(lines.words(), first, count));
    },
    draw(frame, count) {
      quads.use(frame);
      gl.uniform1f(uniforms.u_time, frame.timeMs);
      gl.uniform2f(uniforms.u_opacity, ...frame.opacity);
      gl.uniform1f(uniforms.u_age_top_ms, frame.byAge ? AGE_TOP_S * 1000 : 0);
      gl.uniform3fv(uniforms.u_age_stops, ageStops);
      gl.uniform1f(uniforms.u_half_px, frame.halfPx);
      gl.uniform1f(uniforms.u_dot_px, frame.dotPx);
      gl.uniform1f(uniforms.u_device_px, frame.devicePixelRatio);
      for (const { growPx, tint, ground } of frame.passes) {
        gl.uniform1f(uniforms.u_grow_px, growPx);
        gl.uniform4f(uniforms.u_tint, ...tint);
        gl.uniform3f(uniforms.u_ground, ...ground);
        quads.draw(frame, count);
      }
      gl.bindVertexArray(null);
    },
    dispose: quads.dispose,
  };
}
