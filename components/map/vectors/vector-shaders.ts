import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { VECTOR_TEXELS } from './vector-records.ts';

/** Outside the mark, CSS pixels; shorter vectors are not drawn. */
const START_PX = 15;
const DASH_PX = 5;
const DASH_EVERY_PX = 9;
/** A label on a shorter vector would cover the mark. */
const LABEL_FROM_PX = 44;
const LABEL_APART_PX = 4;

export const VECTOR_PASSES = { line: 0, label: 1 } as const;

/** Along the line, or around the label beyond its tip. */
export const VECTOR_VERTEX_SHADER = `${quadShaderHead(VECTOR_TEXELS)}
uniform int u_pass;
uniform float u_half_px; // half the width of the line
uniform vec2 u_label_px; // size of the label

out vec2 v_px; // along the line from its start, and across it
out vec2 v_label; // place in the label's image
flat out float v_length_px;
flat out float v_opacity;

vec2 screen(vec4 place) {
  vec4 clip = u_matrix * vec4(relative(place), 0.0, 1.0);
  return clip.xy / clip.w * u_view_px * 0.5;
}

void main() {
  vec2 from = screen(uintBitsToFloat(record(0)));
  vec2 to = screen(uintBitsToFloat(record(1)));
  float length_px = distance(from, to);
  bool is_label = u_pass == ${VECTOR_PASSES.label};
  if (length_px <= (is_label ? ${glslFloat(LABEL_FROM_PX)} : ${glslFloat(START_PX)})) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside the clip volume: nothing is drawn
    return;
  }
  v_opacity = uintBitsToFloat(record(2).x);
  v_length_px = length_px;
  vec2 along = (to - from) / length_px;
  vec2 at;
  if (is_label) {
    vec2 side = vec2(corner());
    // Beyond the tip, so that the line does not run through the text; on whole pixels, so that it is sharp.
    vec2 reach = abs(along) * u_label_px * 0.5;
    vec2 middle = to + along * (min(reach.x / max(abs(along.x), 0.001), reach.y / max(abs(along.y), 0.001)) + ${glslFloat(LABEL_APART_PX)});
    v_label = vec2(side.x, side.y);
    at = floor(middle - u_label_px * 0.5) + vec2(side.x, 1.0 - side.y) * u_label_px;
    v_px = vec2(0.0);
  } else {
    vec2 across = vec2(-along.y, along.x);
    vec2 side = vec2(corner()) * vec2(1.0, 2.0) - vec2(0.0, 1.0);
    v_px = vec2(mix(${glslFloat(START_PX)} - u_half_px, length_px + u_half_px, side.x), side.y * (u_half_px + 1.0));
    v_label = vec2(0.0);
    at = from + along * v_px.x + across * v_px.y;
  }
  gl_Position = vec4(at / u_view_px * 2.0, 0.0, 1.0);
}
`;

export const VECTOR_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;

in vec2 v_px;
in vec2 v_label;
flat in float v_length_px;
flat in float v_opacity;

uniform int u_pass;
uniform float u_half_px;
uniform float u_grow_px; // of the casing, along each dash
uniform float u_device_px; // of one CSS pixel
uniform vec4 u_colour; // not premultiplied
uniform sampler2D u_label;

out vec4 fragColor;

void main() {
  if (u_pass == ${VECTOR_PASSES.label}) {
    fragColor = texture(u_label, v_label) * v_opacity;
    return;
  }
  // Dashes are counted from the tip, which then always ends in one.
  float back = v_length_px - v_px.x;
  float in_dash = ${glslFloat(DASH_PX / 2)} - abs(mod(back, ${glslFloat(DASH_EVERY_PX)}) - ${glslFloat(DASH_PX / 2)}) + u_grow_px;
  float inside = min(in_dash, u_half_px - abs(v_px.y));
  float alpha = clamp(inside * u_device_px + 0.5, 0.0, 1.0) * u_colour.a * v_opacity;
  if (alpha == 0.0) discard;
  fragColor = vec4(u_colour.rgb, 1.0) * alpha;
}
`;
