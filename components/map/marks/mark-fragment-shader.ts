import { HATCH_GROUND_FRACTION, LINE_OPACITY_FLOOR, MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { FIELD_HALF_PX, FIELD_RANGE_PX } from './mark-distance-field.ts';

const measures = Object.entries(MARK_MEASURES).map(([name, px]) => `const float ${name} = ${glslFloat(px)};`);

/** Lengths in symbol pixels; premultiplied output, as MapLibre blends it. */
export const MARK_FRAGMENT_SHADER = `#version 300 es
precision highp float;
precision highp int;
precision mediump sampler2DArray;

${measures.join('\n')}

uniform sampler2DArray u_field;
uniform float u_device_px; // device pixels per symbol pixel
uniform vec4 u_halo; // colour and opacity
uniform vec3 u_ink;
uniform vec3 u_emergency;
uniform float u_line_ink;

in vec2 v_screen;
in vec2 v_symbol;
flat in vec4 v_colour;
flat in int v_style;
flat in int v_silhouette;

out vec4 fragColor;

bool has(int flag) { return (v_style & flag) != 0; }

// Coverage of the pixel, from a signed distance.
float inside(float d) { return clamp(0.5 - d * u_device_px, 0.0, 1.0); }

float between(float d, float from, float to) { return inside(d - to) - inside(d - from); }

// Coverage of the pixel by dashes, at a length along a line; one dash is centred on 0.
float dashed(float at, float period, float on) {
  return inside(abs(at - period * floor(at / period + 0.5)) - on * 0.5);
}

float squareDistance(vec2 p, float half_px) {
  vec2 q = abs(p) - half_px;
  return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0);
}

vec4 over(vec4 below, vec3 colour, float opacity) {
  return below * (1.0 - opacity) + vec4(colour, 1.0) * opacity;
}

vec4 expired(vec3 line, float line_opacity, float d, vec2 phase, float hatch) {
  float along = atan(phase.y, phase.x) * dashPeriodPx / ${glslFloat(2 * Math.PI)};
  float from_line = d - expiredOutsidePx;
  float half_line = expiredPx * 0.5;
  float dash = dashed(along, expiredPeriodPx, expiredDashPx);
  vec4 colour = over(vec4(0.0), u_halo.rgb, u_halo.a * 0.7 * inside(from_line - half_line - haloPx));
  if (has(${FLAG_SIMULATED})) colour = over(colour, line, 0.5 * line_opacity * hatch * inside(from_line));
  return over(colour, line, line_opacity * dash * between(from_line, -half_line, half_line));
}

vec4 current(vec3 line, float line_opacity, float d, float hatch) {
  vec4 colour = over(vec4(0.0), u_halo.rgb, u_halo.a * inside(d - gapPx - contourPx - haloPx));
  colour = over(colour, line, line_opacity * between(d, gapPx, gapPx + contourPx));
  float fill = has(${FLAG_SIMULATED}) ? mix(${glslFloat(HATCH_GROUND_FRACTION)}, 1.0, hatch) : 1.0;
  return over(colour, v_colour.rgb, v_colour.a * fill * inside(d));
}

vec4 testSquare(vec4 colour, vec3 line) {
  float d = abs(squareDistance(v_screen, testHalfPx)) - testPx * 0.5;
  float along = abs(v_screen.x) > abs(v_screen.y) ? v_screen.y : v_screen.x;
  colour = over(colour, u_halo.rgb, u_halo.a * 0.7 * inside(d - haloPx));
  return over(colour, line, dashed(along, testPeriodPx, testDashPx) * inside(d));
}

vec4 emergencyRing(vec4 colour) {
  float d = abs(length(v_screen) - emergencyRadiusPx) - emergencyPx * 0.5;
  colour = over(colour, u_halo.rgb, u_halo.a * inside(d - haloPx));
  return over(colour, u_emergency, inside(d));
}

vec4 selectedCorners(vec4 colour) {
  float d = abs(squareDistance(v_screen, selectedHalfPx)) - selectedPx * 0.5;
  vec2 from_corner = selectedHalfPx - abs(v_screen);
  float beyond_arm = max(from_corner.x, from_corner.y) - selectedArmPx;
  colour = over(colour, u_halo.rgb, u_halo.a * min(inside(d - haloPx), inside(beyond_arm - haloPx)));
  return over(colour, u_ink, min(inside(d), inside(beyond_arm)));
}

void main() {
  vec3 line = mix(v_colour.rgb, u_ink, u_line_ink);
  vec4 colour = vec4(0.0);
  if (max(abs(v_symbol.x), abs(v_symbol.y)) < ${glslFloat(FIELD_HALF_PX)}) {
    vec2 at = v_symbol / ${glslFloat(2 * FIELD_HALF_PX)} + 0.5;
    vec3 field = texture(u_field, vec3(at, float(v_silhouette))).rgb * 2.0 - 1.0;
    float d = field.r * ${glslFloat(FIELD_RANGE_PX)};
    // Fixed on screen whatever the heading, so that all hatched marks look alike.
    float hatch = dashed((v_screen.x + v_screen.y) * ${glslFloat(Math.SQRT1_2)}, hatchPeriodPx, hatchPx);
    float line_opacity = mix(${glslFloat(LINE_OPACITY_FLOOR)}, 1.0, v_colour.a);
    colour = has(${MARK_EXPIRED})
      ? expired(line, line_opacity, d, field.gb, hatch)
      : current(line, line_opacity, d, hatch);
  }
  if (has(${FLAG_TEST})) colour = testSquare(colour, line);
  if (has(${MARK_EMERGENCY})) colour = emergencyRing(colour);
  if (has(${MARK_SELECTED})) colour = selectedCorners(colour);
  if (colour.a == 0.0) discard;
  fragColor = colour;
}
`;
