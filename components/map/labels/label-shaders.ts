import { LINE_OPACITY_FLOOR } from '#components/ui/marks/mark-measures.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { GLYPH_TEXELS, IS_PLATE, OF_BADGE, OF_EMERGENCY, OFFSET_STEPS_PER_PX } from './label-records.ts';

const SEEN_THROUGH_PLATE = 0.3;

/** At whole device pixels, as sharp as the browser's text. */
export const LABEL_VERTEX_SHADER = `${quadShaderHead(GLYPH_TEXELS)}
uniform float u_device_px; // device pixels per CSS pixel
uniform float u_cell_texels;

out vec2 v_texel;
flat out float v_opacity;
flat out int v_flags;

void main() {
  uvec4 glyph = record(1);
  vec4 clip = u_matrix * vec4(relative(uintBitsToFloat(record(0))), 0.0, 1.0);
  vec2 view = u_view_px * u_device_px;
  vec2 place = floor((clip.xy / clip.w * 0.5 + 0.5) * view + 0.5);
  vec2 offset = vec2(int(glyph.x << 16) >> 16, int(glyph.x) >> 16) * u_device_px / ${glslFloat(OFFSET_STEPS_PER_PX)};
  bool isPlate = (glyph.z & ${IS_PLATE}u) != 0u;
  vec2 plate = vec2(glyph.w & 0xffffu, glyph.w >> 16) * u_device_px / ${glslFloat(OFFSET_STEPS_PER_PX)};
  vec2 texels = vec2(corner()) * (isPlate ? floor(plate + 0.5) : vec2(float(glyph.w), u_cell_texels));
  vec2 at = floor(offset + 0.5) + texels;
  v_texel = vec2(glyph.y & 0xffffu, glyph.y >> 16) + texels;
  v_opacity = mix(${glslFloat(LINE_OPACITY_FLOOR)}, 1.0, float(glyph.z & 0xffu) / 255.0);
  v_flags = int(glyph.z);
  gl_Position = vec4((place + vec2(at.x, -at.y)) / view * 2.0 - 1.0, 0.0, 1.0);
}
`;

/** Premultiplied, as MapLibre blends it. */
export const LABEL_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision mediump sampler2D;

uniform sampler2D u_atlas;
uniform vec3 u_text;
uniform vec3 u_emergency;
uniform vec3 u_halo;

in vec2 v_texel;
flat in float v_opacity;
flat in int v_flags;

out vec4 fragColor;

void main() {
  bool isBadge = (v_flags & ${OF_BADGE}) != 0;
  vec3 ground = isBadge ? u_emergency : u_halo;
  if ((v_flags & ${IS_PLATE}) != 0) {
    fragColor = vec4(ground, 1.0) * v_opacity * (isBadge ? 1.0 : ${glslFloat(1 - SEEN_THROUGH_PLATE)});
    return;
  }
  vec2 coverage = texture(u_atlas, v_texel / vec2(textureSize(u_atlas, 0))).rg * v_opacity;
  vec3 colour = isBadge ? u_halo : (v_flags & ${OF_EMERGENCY}) == 0 ? u_text : u_emergency;
  fragColor = vec4(ground, 1.0) * coverage.r * (1.0 - coverage.g) + vec4(colour, 1.0) * coverage.g;
}
`;
