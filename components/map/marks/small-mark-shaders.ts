import { LINE_OPACITY_FLOOR, SMALL_MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { FLAG_SIMULATED } from '#lib/model/record-fields.ts';
import { MARK_EXPIRED } from '#lib/picture/mark-style.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { HEADING_STEPS_PER_DEG, HEADING_UNKNOWN, MARK_TEXELS } from './mark-records.ts';

const { radiusPx, rimPx, tickPx, tickHalfPx, ringPx, slitHalfPx } = SMALL_MARK_MEASURES;
const { rotorAtPx, rotorPx, armHalfPx, droneTickPx } = SMALL_MARK_MEASURES;

/**
 * Turned with the mark. Without a graphics card, fragment instructions cost time for every pixel: most work is per
 * vertex.
 */
export const SMALL_MARK_VERTEX_SHADER = `${quadShaderHead(MARK_TEXELS)}
uniform float u_scale;
uniform float u_bearing; // of the map, radians
uniform bool u_drones; // what the call draws, instead of aircraft
uniform vec4 u_rim; // colour, and how far it is mixed with the mark's own

out vec2 v_at; // from the position, y down, turned with the mark
flat out vec4 v_fill; // premultiplied
flat out vec4 v_rim; // premultiplied
flat out vec2 v_diagonal; // the screen's diagonal, turned with the mark: the stripe of a dot stands still on the screen
flat out vec3 v_shape; // 1 if expired, length of the tick, 1 if striped

void main() {
  uvec4 look = record(1); // colour, style and heading
  int style = int(look.y & 0xffffu);
  uint steps = look.y >> 16;
  bool isExpired = (style & ${MARK_EXPIRED}) != 0;
  bool hasTick = steps != ${HEADING_UNKNOWN}u && !isExpired;
  float angle = hasTick ? radians(float(steps) / ${glslFloat(HEADING_STEPS_PER_DEG)}) - u_bearing : 0.0;
  vec2 turn = vec2(cos(angle), sin(angle));

  float reach = u_drones ? ${glslFloat(rotorAtPx + rotorPx + rimPx)} : ${glslFloat(radiusPx + rimPx)};
  float tick = hasTick ? u_drones ? ${glslFloat(droneTickPx)} : ${glslFloat(tickPx)} : 0.0;
  vec2 side = vec2(corner());
  v_at.x = (side.x * 2.0 - 1.0) * reach;
  v_at.y = side.y == 1.0 ? reach : -max(reach, tick + ${glslFloat(rimPx)});
  vec2 screen = vec2(v_at.x * turn.x - v_at.y * turn.y, v_at.x * turn.y + v_at.y * turn.x);

  vec4 colour = vec4(look.x & 0xffu, look.x >> 8 & 0xffu, look.x >> 16 & 0xffu, look.x >> 24) / 255.0;
  v_fill = vec4(colour.rgb, 1.0) * colour.a;
  v_rim = vec4(mix(u_rim.rgb, colour.rgb, u_rim.a), 1.0) * mix(${glslFloat(LINE_OPACITY_FLOOR)}, 1.0, colour.a);
  v_diagonal = vec2(turn.x + turn.y, turn.x - turn.y) * ${glslFloat(Math.SQRT1_2)};
  v_shape = vec3(isExpired, tick, (style & ${FLAG_SIMULATED}) != 0);

  vec4 clip = u_matrix * vec4(relative(uintBitsToFloat(record(0))), 0.0, 1.0);
  clip.xy += vec2(screen.x, -screen.y) * u_scale * 2.0 / u_view_px * clip.w;
  gl_Position = clip;
}
`;

/**
 * A dot (aircraft), or rotors and arms (drone), with a tick towards the heading. Premultiplied, as MapLibre blends it.
 */
export const SMALL_MARK_FRAGMENT_SHADER = `#version 300 es
precision mediump float;

uniform float u_device_px; // device pixels per pixel of the measures
uniform bool u_drones;

in vec2 v_at;
flat in vec4 v_fill;
flat in vec4 v_rim;
flat in vec2 v_diagonal;
flat in vec3 v_shape;

out vec4 fragColor;

void main() {
  // Signed distances: to the body, and to the stripe that is cut out of it.
  float body_d;
  float slit_d;
  if (u_drones) {
    vec2 p = abs(v_at); // one quarter, as the others are like it
    float rotor_d = length(p - ${glslFloat(rotorAtPx)}) - ${glslFloat(rotorPx)};
    float arm_d = max(abs(p.x - p.y) * ${glslFloat(Math.SQRT1_2)} - ${glslFloat(armHalfPx)}, max(p.x, p.y) - ${glslFloat(rotorAtPx)});
    body_d = min(rotor_d, arm_d);
    slit_d = abs(p.y - ${glslFloat(rotorAtPx)}) - ${glslFloat(slitHalfPx)};
  } else {
    body_d = length(v_at) - ${glslFloat(radiusPx)};
    slit_d = abs(dot(v_at, v_diagonal)) - ${glslFloat(slitHalfPx)};
  }
  float tick_d = max(abs(v_at.x) - ${glslFloat(tickHalfPx)}, max(v_at.y, -v_at.y - v_shape.y));
  float d = min(body_d, tick_d);
  float fill = clamp(0.5 - d * u_device_px, 0.0, 1.0);
  float rim = clamp(0.5 - (d - ${glslFloat(rimPx)}) * u_device_px, 0.0, 1.0);
  // An outline, or a body with a stripe cut out.
  float hollow = v_shape.x * clamp(0.5 - (body_d + ${glslFloat(ringPx)}) * u_device_px, 0.0, 1.0);
  float slit = v_shape.z < 0.5 || body_d > 0.0 ? 0.0 : clamp(0.5 - slit_d * u_device_px, 0.0, 1.0);
  // The stripe of an expired mark is drawn where the mark is hollow.
  fill *= v_shape.x > 0.5 ? max(1.0 - hollow, slit) : 1.0 - slit;
  fragColor = v_fill * fill + v_rim * rim * (1.0 - fill);
}
`;
