import { SILHOUETTE_NAMES, silhouette } from '#components/ui/silhouettes.ts';
import { linkProgram } from '../webgl/link-program.ts';
import { FIELD_SIZE, markDistanceField } from './mark-distance-field.ts';
import { MARK_FRAGMENT_SHADER } from './mark-fragment-shader.ts';
import { COLOUR_OFFSET_BYTES, INSTANCE_BYTES, LOOK_OFFSET_BYTES } from './mark-instances.ts';
import { MARK_VERTEX_SHADER } from './mark-vertex-shader.ts';

const UNIFORM_NAMES = [
  'u_matrix',
  'u_origin',
  'u_view_px',
  'u_scale',
  'u_device_px',
  'u_halo',
  'u_ink',
  'u_emergency',
  'u_neutral',
  'u_line_ink',
] as const;
type UniformName = (typeof UNIFORM_NAMES)[number];

/** The marks' objects in one WebGL context; invalid once that context is lost. */
export interface MarkProgram {
  readonly program: WebGLProgram;
  readonly vertexArray: WebGLVertexArrayObject;
  readonly instanceBuffer: WebGLBuffer;
  readonly field: WebGLTexture;
  readonly uniforms: Readonly<Record<UniformName, WebGLUniformLocation | null>>;
}

/** @throws Error with the driver's message if the shaders don't compile */
export function makeMarkProgram(gl: WebGL2RenderingContext): MarkProgram {
  const program = linkProgram(gl, MARK_VERTEX_SHADER, MARK_FRAGMENT_SHADER);
  const instanceBuffer = gl.createBuffer();
  const vertexArray = gl.createVertexArray();
  gl.bindVertexArray(vertexArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, instanceBuffer);
  gl.vertexAttribPointer(0, 4, gl.FLOAT, false, INSTANCE_BYTES, 0);
  gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, INSTANCE_BYTES, COLOUR_OFFSET_BYTES);
  gl.vertexAttribIPointer(2, 2, gl.UNSIGNED_SHORT, INSTANCE_BYTES, LOOK_OFFSET_BYTES);
  for (let location = 0; location < 3; location++) {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribDivisor(location, 1);
  }
  gl.bindVertexArray(null);
  const uniforms = Object.fromEntries(UNIFORM_NAMES.map((name) => [name, gl.getUniformLocation(program, name)]));
  return {
    program,
    vertexArray,
    instanceBuffer,
    field: makeFieldTexture(gl),
    uniforms: uniforms as Record<UniformName, WebGLUniformLocation | null>,
  };
}

export function deleteMarkProgram(gl: WebGL2RenderingContext, owned: MarkProgram): void {
  gl.deleteVertexArray(owned.vertexArray);
  gl.deleteBuffer(owned.instanceBuffer);
  gl.deleteTexture(owned.field);
  gl.deleteProgram(owned.program);
}

/** One layer per silhouette, in the order of `SILHOUETTE_NAMES`, which the vertex shader relies on. */
function makeFieldTexture(gl: WebGL2RenderingContext): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGBA8, FIELD_SIZE, FIELD_SIZE, SILHOUETTE_NAMES.length);
  SILHOUETTE_NAMES.forEach((name, layer) => {
    const field = markDistanceField(silhouette(name));
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, FIELD_SIZE, FIELD_SIZE, 1, gl.RGBA, gl.UNSIGNED_BYTE, field);
  });
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, filter, gl.LINEAR);
  }
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
    gl.texParameteri(gl.TEXTURE_2D_ARRAY, wrap, gl.CLAMP_TO_EDGE);
  }
  return texture;
}
