import type { MarkTheme } from '#components/ui/mark-theme.ts';
import { floatHigh, floatLow } from '../webgl/float-pair.ts';
import { relativeMatrix } from '../webgl/relative-matrix.ts';
import { INSTANCE_BYTES, INSTANCE_FLOATS, type MarkInstances } from './mark-instances.ts';
import { deleteMarkProgram, makeMarkProgram } from './mark-program.ts';
import type { PickView } from './pick-mark.ts';

interface MarkFrame extends PickView {
  /** Mercator position of the middle of the view, where single precision must be best. */
  readonly originX: number;
  readonly originY: number;
  readonly devicePixelRatio: number;
  readonly symbolScale: number;
  readonly theme: MarkTheme;
}

/** Draws marks in one WebGL context. Restores no GL state: for use inside a layer's `render`. */
export interface MarkRenderer {
  upload(marks: MarkInstances): void;
  draw(frame: MarkFrame, count: number): void;
  dispose(): void;
}

const QUAD_CORNERS = 4;

export function makeMarkRenderer(gl: WebGL2RenderingContext): MarkRenderer {
  const owned = makeMarkProgram(gl);
  const { uniforms } = owned;
  const singleMatrix = new Float32Array(16);

  return {
    upload(marks) {
      gl.bindBuffer(gl.ARRAY_BUFFER, owned.instanceBuffer);
      // Orphans the old storage, so that the driver need not wait for a frame that still reads it.
      gl.bufferData(gl.ARRAY_BUFFER, marks.capacity() * INSTANCE_BYTES, gl.DYNAMIC_DRAW);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, marks.floats(), 0, marks.count() * INSTANCE_FLOATS);
    },
    draw(frame, count) {
      const { theme, originX, originY, copies } = frame;
      // biome-ignore lint/correctness/useHookAtTopLevel: a WebGL call, no hook of React.
      gl.useProgram(owned.program);
      gl.bindVertexArray(owned.vertexArray);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, owned.field);
      gl.uniformMatrix4fv(uniforms.u_matrix, false, relativeMatrix(singleMatrix, frame.matrix, originX, originY));
      gl.uniform2f(uniforms.u_view_px, frame.widthPx, frame.heightPx);
      gl.uniform1f(uniforms.u_scale, frame.symbolScale);
      gl.uniform1f(uniforms.u_device_px, frame.symbolScale * frame.devicePixelRatio);
      gl.uniform4f(uniforms.u_halo, ...channels(theme.halo), theme.haloOpacity);
      gl.uniform3f(uniforms.u_ink, ...channels(theme.ink));
      gl.uniform3f(uniforms.u_emergency, ...channels(theme.emergency));
      gl.uniform3f(uniforms.u_neutral, ...channels(theme.neutral));
      gl.uniform1f(uniforms.u_line_ink, theme.lineInk);
      for (let copy = copies.first; copy <= copies.last; copy++) {
        // Moves a copy's marks by moving the origin the other way.
        const x = originX - copy;
        gl.uniform4f(uniforms.u_origin, floatHigh(x), floatHigh(originY), floatLow(x), floatLow(originY));
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, QUAD_CORNERS, count);
      }
      gl.bindVertexArray(null);
    },
    dispose() {
      deleteMarkProgram(gl, owned);
    },
  };
}

/** Red, green and blue of 0xRRGGBB, each 0 to 1. */
function channels(hex: number): [number, number, number] {
  return [((hex >> 16) & 0xff) / 255, ((hex >> 8) & 0xff) / 255, (hex & 0xff) / 255];
}
