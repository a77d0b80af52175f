/** @throws Error with the driver's message if the shaders don't compile or link */
export function linkProgram(gl: WebGL2RenderingContext, vertexShader: string, fragmentShader: string): WebGLProgram {
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

function compileShader(gl: WebGL2RenderingContext, type: GLenum, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (shader === null) throw new Error('No shader can be made in this WebGL context');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}
