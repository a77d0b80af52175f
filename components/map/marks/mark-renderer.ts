import {
  HATCH_GROUND_FRACTION,
  LINE_OPACITY_FLOOR,
  MARK_MEASURES,
  SMALL_MARK_MEASURES,
} from '#components/ui/marks/mark-measures.ts';
import type { MarkTheme } from '#components/ui/marks/mark-theme.ts';
import { SILHOUETTE_NAMES, silhouette } from '#components/ui/marks/silhouettes.ts';
import type { TrackKind } from '#lib/model/position.ts';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_EXPIRED, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import {
  channels,
  glslFloat,
  makeQuads,
  makeRecordTexture,
  type QuadView,
  quadShaderHead,
  setSampling,
} from '../webgl/quads.ts';
import { FIELD_HALF_PX, FIELD_RANGE_PX, FIELD_SIZE, markDistanceField } from './mark-distance-field.ts';
import { HEADING_STEPS_PER_DEG, HEADING_UNKNOWN, MARK_TEXELS, type MarkRecords } from './mark-records.ts';
import type { MarkLook } from './mark-size.ts';

const UNIFORMS = ['u_scale', 'u_device_px', 'u_halo', 'u_ink', 'u_emergency', 'u_line_ink'] as const;
const SMALL_UNIFORMS = ['u_scale', 'u_device_px', 'u_bearing', 'u_rim', 'u_drones'] as const;

interface MarkFrame extends QuadView {
  readonly devicePixelRatio: number;
  readonly bearingDeg: number;
  readonly look: MarkLook;
  readonly theme: MarkTheme;
}

/**
 * Draws packed marks: small ones from afar (dots, rotors), symbols otherwise, with contour, stripes, dashes, square, ring
 * and corners. Shapes come from a distance field, so that they are sharp at each size.
 */
export interface MarkRenderer {
  upload(marks: MarkRecords): void;
  draw(frame: MarkFrame, marks: MarkRecords): void;
  dispose(): void;
}

export function makeMarkRenderer(gl: WebGL2RenderingContext): MarkRenderer {
  const records = makeRecordTexture(gl, MARK_TEXELS);
  const symbols = makeQuads(gl, {
    vertex: MARK_VERTEX_SHADER,
    fragment: MARK_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: MARK_TEXELS,
    records,
  });
  const small = makeQuads(gl, {
    vertex: SMALL_MARK_VERTEX_SHADER,
    fragment: SMALL_MARK_FRAGMENT_SHADER,
    uniforms: SMALL_UNIFORMS,
    recordTexels: MARK_TEXELS,
    records,
  });
  const field = makeFieldTexture(gl);

  function drawSmall(frame: MarkFrame, kind: TrackKind, count: number, first: number): void {
    if (count === 0) return;
    const { uniforms } = small;
    const { theme, look } = frame;
    const scale = kind === 'drone' ? look.smallDroneScale : look.dotScale;
    small.use(frame);
    gl.uniform1f(uniforms.u_scale, scale);
    gl.uniform1f(uniforms.u_device_px, scale * frame.devicePixelRatio);
    gl.uniform1f(uniforms.u_bearing, (frame.bearingDeg * Math.PI) / 180);
    gl.uniform4f(uniforms.u_rim, ...channels(theme.dotRim), theme.dotRimOwn);
    gl.uniform1i(uniforms.u_drones, kind === 'drone' ? 1 : 0);
    small.draw(frame, count, first);
  }

  function drawSymbols(frame: MarkFrame, count: number, first: number): void {
    const { uniforms } = symbols;
    const { theme } = frame;
    const { symbolScale } = frame.look;
    symbols.use(frame);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, field);
    gl.uniform1f(uniforms.u_scale, symbolScale);
    gl.uniform1f(uniforms.u_device_px, symbolScale * frame.devicePixelRatio);
    gl.uniform4f(uniforms.u_halo, ...channels(theme.halo), theme.haloOpacity);
    gl.uniform3f(uniforms.u_ink, ...channels(theme.ink));
    gl.uniform3f(uniforms.u_emergency, ...channels(theme.emergency));
    gl.uniform1f(uniforms.u_line_ink, theme.lineInk);
    symbols.draw(frame, count, first);
  }

  return {
    upload(marks) {
      records.upload(marks.words(), marks.count());
    },
    draw(frame, marks) {
      const aircraft = frame.look.isSmall ? marks.plainAircraft() : 0;
      const drones = frame.look.isSmall ? marks.plainDrones() : 0;
      const symbolCount = marks.count() - aircraft - drones;
      drawSmall(frame, 'aircraft', aircraft, 0);
      drawSmall(frame, 'drone', drones, aircraft);
      if (symbolCount > 0) drawSymbols(frame, symbolCount, aircraft + drones);
      gl.bindVertexArray(null);
    },
    dispose() {
      symbols.dispose();
      small.dispose();
      records.dispose();
      gl.deleteTexture(field);
    },
  };
}

function makeFieldTexture(gl: WebGL2RenderingContext): WebGLTexture {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGB8, FIELD_SIZE, FIELD_SIZE, SILHOUETTE_NAMES.length);
  SILHOUETTE_NAMES.forEach((name, layer) => {
    const field = markDistanceField(silhouette(name));
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, FIELD_SIZE, FIELD_SIZE, 1, gl.RGB, gl.UNSIGNED_BYTE, field);
  });
  setSampling(gl, gl.TEXTURE_2D_ARRAY, gl.LINEAR);
  return texture;
}

const { selectedHalfPx, selectedPx, haloPx } = MARK_MEASURES;

/** A silhouette with contour and halo reaches so far from its position, in symbol pixels. */
const PLAIN_HALF_PX = 13.7;

/** Each mark is an upright quad, large enough for all its decorations. */
const MARK_VERTEX_SHADER = `${quadShaderHead(MARK_TEXELS)}
uniform float u_scale;

out vec2 v_screen; // symbol pixels from the position, y down, upright
out vec2 v_symbol; // the same, rotated with the mark
flat out vec4 v_colour;
flat out int v_style;
flat out int v_silhouette;

void main() {
  uvec4 look = record(1); // colour, style and heading
  int style = int(look.y & 0xffffu);
  uint steps = look.y >> 16;
  bool known = steps != ${HEADING_UNKNOWN}u;
  vec4 clip = u_matrix * vec4(relative(uintBitsToFloat(record(0))), 0.0, 1.0);

  vec2 turn = vec2(1.0, 0.0);
  if (known) {
    float heading = radians(float(steps) / ${glslFloat(HEADING_STEPS_PER_DEG)});
    // Direction of the heading on screen: correct for any bearing, pitch and roll of the map.
    vec4 ahead = u_matrix * vec4(sin(heading), -cos(heading), 0.0, 0.0);
    vec2 onScreen = (ahead.xy * clip.w - clip.xy * ahead.w) * u_view_px;
    vec2 nose = normalize(vec2(onScreen.x, -onScreen.y));
    turn = vec2(-nose.y, nose.x); // cosine and sine, clockwise from up
  }

  bool isDecorated = (style & ${FLAG_TEST | MARK_EMERGENCY | MARK_SELECTED}) != 0;
  float half_px = isDecorated ? ${glslFloat(selectedHalfPx + selectedPx + haloPx)} : ${glslFloat(PLAIN_HALF_PX)};
  v_screen = vec2(corner()) * 2.0 * half_px - half_px;
  v_symbol = vec2(v_screen.x * turn.x + v_screen.y * turn.y, v_screen.y * turn.x - v_screen.x * turn.y);
  v_colour = vec4(look.x & 0xffu, look.x >> 8 & 0xffu, look.x >> 16 & 0xffu, look.x >> 24) / 255.0;
  v_style = style;
  v_silhouette = ((style & ${FLAG_DRONE}) != 0 ? 1 : 0) + (known ? 0 : 2);

  clip.xy += vec2(v_screen.x, -v_screen.y) * u_scale * 2.0 / u_view_px * clip.w;
  gl_Position = clip;
}
`;

const measures = Object.entries(MARK_MEASURES).map(([name, px]) => `const float ${name} = ${glslFloat(px)};`);

/** Lengths are in symbol pixels. The output is premultiplied, as MapLibre blends it. */
const MARK_FRAGMENT_SHADER = `#version 300 es
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
    // The hatching is fixed on screen whatever the heading, so that all hatched marks look alike.
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

const { radiusPx, rimPx, tickPx, tickHalfPx, ringPx, slitHalfPx } = SMALL_MARK_MEASURES;

const { rotorAtPx, rotorPx, armHalfPx, droneTickPx } = SMALL_MARK_MEASURES;

/**
 * The quad of a small mark turns with it. Without a graphics card, fragment instructions cost time for every pixel, so
 * that most work is done per vertex.
 */
const SMALL_MARK_VERTEX_SHADER = `${quadShaderHead(MARK_TEXELS)}
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

/** A dot (aircraft), or rotors and arms (drone), with a tick towards the heading. The output is premultiplied. */
const SMALL_MARK_FRAGMENT_SHADER = `#version 300 es
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
