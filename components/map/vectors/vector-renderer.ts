import type { MarkTheme } from '#components/ui/marks/mark-theme.ts';
import { makeQuads, type QuadView } from '../webgl/quads.ts';
import { VECTOR_TEXELS, type VectorRecords } from './vector-records.ts';
import { VECTOR_FRAGMENT_SHADER, VECTOR_PASSES, VECTOR_VERTEX_SHADER } from './vector-shaders.ts';

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

export interface VectorRenderer {
  upload(vectors: VectorRecords): void;
  draw(frame: VectorFrame, count: number): void;
  dispose(): void;
}

export function makeVectorRenderer(gl: WebGL2RenderingContext): VectorRenderer {
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

/** MapLibre would lay out thousands of text symbols at every answer. */
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
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
  return { key, texture, widthPx: canvas.width / devicePixelRatio, heightPx: canvas.height / devicePixelRatio };
}

function css(hex: number): string {
  return `#${hex.toString(16).padStart(6, '0')}`;
}
