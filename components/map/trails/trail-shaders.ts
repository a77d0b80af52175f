import { AGE_STOPS } from '#lib/model/mark-colour.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { LINE_TEXELS, TRAIL_SHAPES } from './trail-lines.ts';

const DOTTED_EVERY_PX = 6;
/** Dots are dropped below the first spacing, and full size from the second. */
const DOT_APART_PX = [5, 9] as const;

/** Opacity mixes with the ground: transparency would add up where lines meet. */
export const TRAIL_VERTEX_SHADER = `${quadShaderHead(LINE_TEXELS)}
uniform float u_time; // milliseconds since the base
uniform vec2 u_opacity; // of the past, and of what lies after the cursor; 0 is not drawn
uniform float u_age_top_ms; // 0: lines have their own colours
uniform vec3 u_age_stops[${AGE_STOPS.length}]; // evenly spaced from age 0
uniform float u_half_px; // half the width of a line
uniform float u_dot_px; // radius of a dot at a received position
uniform float u_grow_px; // wider on each side, for the casing under a line

out vec2 v_px; // along the line from its start, and across it; a dot is a line of length 0
flat out vec4 v_colour;
flat out int v_shape;
flat out float v_radius_px;
flat out float v_length_px;

vec2 screen(vec4 place) {
  vec4 clip = u_matrix * vec4(relative(place), 0.0, 1.0);
  return clip.xy / clip.w * u_view_px * 0.5;
}

vec3 age_colour(float age_ms) {
  float at = clamp(age_ms / u_age_top_ms, 0.0, 1.0) * ${glslFloat(AGE_STOPS.length - 1)};
  int low = min(int(at), ${AGE_STOPS.length - 2});
  return mix(u_age_stops[low], u_age_stops[low + 1], at - float(low));
}

void main() {
  vec4 start = uintBitsToFloat(record(0));
  vec4 end = uintBitsToFloat(record(1));
  uvec4 rest = record(2);
  vec2 shown = uintBitsToFloat(rest.xy); // milliseconds since the base: from, until
  uint look = rest.z; // red, green, blue, shape
  int shape = int(look >> 24);
  float opacity = u_time >= shown.x ? u_opacity.x : u_opacity.y;
  vec2 from = screen(start);
  vec2 to = screen(end);
  float length_px = distance(from, to);
  bool is_dot = shape == ${TRAIL_SHAPES.dot};
  float radius_px = is_dot ? u_dot_px : u_half_px;
  if (is_dot && start != end) radius_px *= smoothstep(${DOT_APART_PX.map(glslFloat).join(', ')}, length_px);
  if (u_time >= shown.y || opacity == 0.0 || radius_px == 0.0) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0); // outside the clip volume: nothing is drawn
    return;
  }

  vec2 along = length_px > 0.0 ? (to - from) / length_px : vec2(1.0, 0.0);
  vec2 across = vec2(-along.y, along.x);
  radius_px += u_grow_px;
  float reach_px = radius_px + 1.0; // room for the soft edge
  vec2 side = vec2(corner()) * vec2(1.0, 2.0) - vec2(0.0, 1.0);
  float run_px = is_dot ? 0.0 : length_px;
  v_px = vec2(side.x * run_px + (side.x * 2.0 - 1.0) * reach_px, side.y * reach_px);
  vec3 own = vec3(look & 0xffu, look >> 8 & 0xffu, look >> 16 & 0xffu) / 255.0;
  v_colour = vec4(u_age_top_ms > 0.0 ? age_colour(u_time - shown.x) : own, opacity);
  v_shape = shape;
  v_radius_px = radius_px;
  v_length_px = run_px;
  vec2 at = (is_dot ? to : from) + along * v_px.x + across * v_px.y;
  gl_Position = vec4(at / u_view_px * 2.0, 0.0, 1.0);
}
`;

/** Premultiplied, as MapLibre blends. */
export const TRAIL_FRAGMENT_SHADER = `#version 300 es
precision highp float;

in vec2 v_px;
flat in vec4 v_colour;
flat in int v_shape;
flat in float v_radius_px;
flat in float v_length_px;

uniform float u_device_px; // of one CSS pixel
uniform vec4 u_tint; // colour that the line's own is mixed towards, and how far
uniform vec3 u_ground; // the lower the opacity, the closer to it

out vec4 fragColor;

void main() {
  // Distance to the nearest point of the line, or to the nearest of its dots; ends are round.
  float along = v_px.x - clamp(v_px.x, 0.0, v_length_px);
  if (v_shape == ${TRAIL_SHAPES.dotted}) {
    if (along != 0.0) discard;
    along = mod(v_px.x, ${glslFloat(DOTTED_EVERY_PX)}) - ${glslFloat(DOTTED_EVERY_PX / 2)};
  }
  float alpha = clamp((v_radius_px - length(vec2(along, v_px.y))) * u_device_px + 0.5, 0.0, 1.0);
  if (alpha == 0.0) discard;
  fragColor = vec4(mix(u_ground, mix(v_colour.rgb, u_tint.rgb, u_tint.a), v_colour.a), 1.0) * alpha;
}
`;
