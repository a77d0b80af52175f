import { LINE_OPACITY_FLOOR } from '#components/ui/mark-measures.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { GLYPH_TEXELS, OFFSET_STEPS_PER_PX } from './label-records.ts';

/** One quad per glyph, upright, at whole device pixels, so that text is as sharp as the browser's own. */
export const LABEL_VERTEX_SHADER = `${quadShaderHead(GLYPH_TEXELS)}
uniform float u_device_px; // device pixels per CSS pixel
uniform float u_cell_texels;

out vec2 v_texel;
flat out float v_opacity;
flat out int v_emergency;

void main() {
  uvec4 glyph = record(1);
  vec4 clip = u_matrix * vec4(relative(uintBitsToFloat(record(0))), 0.0, 1.0);
  vec2 view = u_view_px * u_device_px;
  vec2 place = floor((clip.xy / clip.w * 0.5 + 0.5) * view + 0.5);
  vec2 offset = vec2(int(glyph.x << 16) >> 16, int(glyph.x) >> 16) * u_device_px / ${glslFloat(OFFSET_STEPS_PER_PX)};
  vec2 texels = vec2(corner()) * vec2(float(glyph.w), u_cell_texels);
  vec2 at = floor(offset + 0.5) + texels;
  v_texel = vec2(glyph.y & 0xffffu, glyph.y >> 16) + texels;
  v_opacity = mix(${glslFloat(LINE_OPACITY_FLOOR)}, 1.0, float(glyph.z & 0xffu) / 255.0);
  v_emergency = int(glyph.z >> 8);
  gl_Position = vec4((place + vec2(at.x, -at.y)) / view * 2.0 - 1.0, 0.0, 1.0);
}
`;

/** The output is premultiplied, as MapLibre blends it. */
export const LABEL_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision mediump sampler2D;

uniform sampler2D u_atlas;
uniform vec3 u_text;
uniform vec3 u_emergency;
uniform vec3 u_halo;

in vec2 v_texel;
flat in float v_opacity;
flat in int v_emergency;

out vec4 fragColor;

void main() {
  vec2 coverage = texture(u_atlas, v_texel / vec2(textureSize(u_atlas, 0))).rg * v_opacity;
  vec3 colour = v_emergency == 0 ? u_text : u_emergency;
  fragColor = vec4(u_halo, 1.0) * coverage.r * (1.0 - coverage.g) + vec4(colour, 1.0) * coverage.g;
}
`;
