import type { MarkTheme } from '#components/ui/marks/mark-theme.ts';
import { SILHOUETTE_NAMES, silhouette } from '#components/ui/marks/silhouettes.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { channels } from '../webgl/channels.ts';
import { makeQuads, makeRecordTexture } from '../webgl/quads.ts';
import { FIELD_SIZE, markDistanceField } from './mark-distance-field.ts';
import { MARK_FRAGMENT_SHADER } from './mark-fragment-shader.ts';
import { MARK_TEXELS, type MarkRecords } from './mark-records.ts';
import type { MarkLook } from './mark-size.ts';
import { MARK_VERTEX_SHADER } from './mark-vertex-shader.ts';
import type { PickView } from './pick-mark.ts';
import { SMALL_MARK_FRAGMENT_SHADER, SMALL_MARK_VERTEX_SHADER } from './small-mark-shaders.ts';

const UNIFORMS = ['u_scale', 'u_device_px', 'u_halo', 'u_ink', 'u_emergency', 'u_line_ink'] as const;
const SMALL_UNIFORMS = ['u_scale', 'u_device_px', 'u_bearing', 'u_rim', 'u_drones'] as const;

interface MarkFrame extends PickView {
  /** Where single precision must be best, Mercator. */
  readonly originX: number;
  readonly originY: number;
  readonly devicePixelRatio: number;
  readonly bearingDeg: number;
  readonly look: MarkLook;
  readonly theme: MarkTheme;
}

export interface MarkRenderer {
  upload(marks: MarkRecords): void;
  draw(frame: MarkFrame, marks: MarkRecords): void;
  dispose(): void;
}

export function makeMarkRenderer(gl: WebGL2RenderingContext): MarkRenderer {
  const records = makeRecordTexture(gl, MARK_TEXELS);
  const symbols = makeQuads(gl, {
    vertex: MARK_VERTEX_SHADER,
    fragment: MARK_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: MARK_TEXELS,
    records,
  });
  const small = makeQuads(gl, {
    vertex: SMALL_MARK_VERTEX_SHADER,
    fragment: SMALL_MARK_FRAGMENT_SHADER,
    uniforms: SMALL_UNIFORMS,
    recordTexels: MARK_TEXELS,
    records,
  });
  const field = makeFieldTexture(gl);

  function drawSmall(frame: MarkFrame, kind: TrackKind, count: number, first: number): void {
    if (count === 0) return;
    const { uniforms } = small;
    const { theme, look } = frame;
    const scale = kind === 'drone' ? look.smallDroneScale : look.dotScale;
    small.use(frame);
    gl.uniform1f(uniforms.u_scale, scale);
    gl.uniform1f(uniforms.u_device_px, scale * frame.devicePixelRatio);
    gl.uniform1f(uniforms.u_bearing, (frame.bearingDeg * Math.PI) / 180);
    gl.uniform4f(uniforms.u_rim, ...channels(theme.dotRim), theme.dotRimOwn);
    gl.uniform1i(uniforms.u_drones, kind === 'drone' ? 1 : 0);
    small.draw(frame, count, first);
  }

  function drawSymbols(frame: MarkFrame, count: number, first: number): void {
    const { uniforms } = symbols;
    const { theme } = frame;
    const { symbolScale } = frame.look;
    symbols.use(frame);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, field);
    gl.uniform1f(uniforms.u_scale, symbolScale);
    gl.uniform1f(uniforms.u_device_px, symbolScale * frame.devicePixelRatio);
    gl.uniform4f(uniforms.u_halo, ...channels(theme.halo), theme.haloOpacity);
    gl.uniform3f(uniforms.u_ink, ...channels(theme.ink));
    gl.uniform3f(uniforms.u_emergency, ...channels(theme.emergency));
    gl.uniform1f(uniforms.u_line_ink, theme.lineInk);
    symbols.draw(frame, count, first);
  }

  return {
    upload(marks) {
      records.upload(marks.words(), marks.count());
    },
    draw(frame, marks) {
      const aircraft = frame.look.isSmall ? marks.plainAircraft() : 0;
      const drones = frame.look.isSmall ? marks.plainDrones() : 0;
      const symbolCount = marks.count() - aircraft - drones;
      drawSmall(frame, 'aircraft', aircraft, 0);
      drawSmall(frame, 'drone', drones, aircraft);
      if (symbolCount > 0) drawSymbols(frame, symbolCount, aircraft + drones);
      gl.bindVertexArray(null);
    },
    dispose() {
      symbols.dispose();
      small.dispose();
      records.dispose();
      gl.deleteTexture(field);
    },
  };
}

function makeFieldTexture(gl: WebGL2RenderingContext): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGB8, FIELD_SIZE, FIELD_SIZE, SILHOUETTE_NAMES.length);
  SILHOUETTE_NAMES.forEach((name, layer) => {
    const field = markDistanceField(silhouette(name));
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, FIELD_SIZE, FIELD_SIZE, 1, gl.RGB, gl.UNSIGNED_BYTE, field);
  });
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, filter, gl.LINEAR);
  }
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, wrap, gl.CLAMP_TO_EDGE);
  }
  return texture;
}
