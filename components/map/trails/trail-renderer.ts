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

export interface TrailPass {
  readonly growPx: number;
  /** Red, green, blue and their share, each 0 to 1. */
  readonly tint: readonly [number, number, number, number];
  /** The colour that lines fade towards, each channel 0 to 1. */
  readonly ground: readonly [number, number, number];
}

interface TrailFrame extends QuadView {
  readonly devicePixelRatio: number;
  /** Cursor of the replay, relative to the lines' base. */
  readonly timeMs: number;
  /** By age instead of the lines' own colour. */
  readonly byAge: boolean;
  readonly opacity: readonly [past: number, ahead: number];
  readonly halfPx: number;
  readonly dotPx: number;
  readonly passes: readonly TrailPass[];
}

export interface TrailRenderer {
  upload(lines: TrailLines): void;
  update(lines: TrailLines): void;
  draw(frame: TrailFrame, count: number): void;
  dispose(): void;
}

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
