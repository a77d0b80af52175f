import type { MarkTheme } from '#components/ui/marks/mark-theme.ts';
import { channels } from '../webgl/channels.ts';
import { makeQuads, type QuadView } from '../webgl/quads.ts';
import { GLYPH_TEXELS, type LabelRecords } from './label-records.ts';
import { LABEL_FRAGMENT_SHADER, LABEL_VERTEX_SHADER } from './label-shaders.ts';

const UNIFORMS = ['u_device_px', 'u_cell_texels', 'u_text', 'u_emergency', 'u_halo'] as const;

interface LabelFrame extends QuadView {
  readonly devicePixelRatio: number;
  readonly cellTexels: number;
  readonly theme: MarkTheme;
}

export interface LabelRenderer {
  upload(records: LabelRecords): void;
  uploadAtlas(canvas: HTMLCanvasElement): void;
  draw(frame: LabelFrame, count: number): void;
  dispose(): void;
}

export function makeLabelRenderer(gl: WebGL2RenderingContext): LabelRenderer {
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
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
      }
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
        gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
      }
    },
    draw(frame, count) {
      quads.use(frame);
      bindAtlas();
      gl.uniform1f(uniforms.u_device_px, frame.devicePixelRatio);
      gl.uniform1f(uniforms.u_cell_texels, frame.cellTexels);
      gl.uniform3f(uniforms.u_text, ...channels(frame.theme.ink));
      gl.uniform3f(uniforms.u_emergency, ...channels(frame.theme.emergency));
      gl.uniform3f(uniforms.u_halo, ...channels(frame.theme.halo));
      quads.draw(frame, count);
      gl.bindVertexArray(null);
    },
    dispose() {
      quads.dispose();
      gl.deleteTexture(texture);
    },
  };
}
