import type { CustomLayerInterface } from 'maplibre-gl';
import { AGE_STOPS, AGE_TOP_S } from '#lib/model/mark-colour.ts';
import type { BasemapTheme } from '../basemap/basemap-palette.ts';
import { makeMercatorLayer } from '../webgl/mercator-layer.ts';
import { glslFloat, makeQuads, type QuadView, quadShaderHead } from '../webgl/quads.ts';
import { LINE_TEXELS, TRAIL_SHAPES, type TrailLines } from './trail-lines.ts';

interface TrailsLayerOptions {
  readonly id: string;
  readonly look: TrailLook;
  readonly theme: BasemapTheme;
  readonly onFailure: (error: Error) => void;
}

/**
 * A layer of trails: draws the lines that it is given, up to a cursor, in a look. A style layer of MapLibre would copy
 * every position to a worker at each change (about 30 ms for five minutes of 3000 tracks). It draws nothing on a globe.
 */
export interface TrailsLayer extends CustomLayerInterface {
  /** Uploads all lines. */
  setLines(lines: TrailLines | undefined): void;
  /** Uploads the lines that changed since. */
  changeLines(): void;
  /** Epoch ms: everything received up to then is the past. */
  setCursor(atMs: number): void;
  /** Whether lines are coloured by their age at the cursor, instead of their own colour. */
  setByAge(byAge: boolean): void;
  setTheme(theme: BasemapTheme): void;
}

/** A line across 180° is drawn with the world copy of its end. */
const COPIES_MARGIN = 0.5;

export function makeTrailsLayer({ id, look, onFailure, ...options }: TrailsLayerOptions): TrailsLayer {
  let { theme } = options;
  let lines: TrailLines | undefined;
  let needsUpload = true;
  let needsUpdate = false;
  let cursorMs = 0;
  let isByAge = false;

  const { layer, repaint } = makeMercatorLayer<TrailRenderer>({
    id,
    makeRenderer: makeTrailRenderer,
    onFailure,
    isEmpty: () => lines === undefined || lines.count === 0,
    copiesMargin: () => COPIES_MARGIN,
    draw(renderer, frame, _map, isNew) {
      if (!lines) return;
      if (needsUpload || isNew) renderer.upload(lines);
      else if (needsUpdate) renderer.update(lines);
      needsUpload = false;
      needsUpdate = false;
      const timeMs = cursorMs - lines.baseMs;
      renderer.draw({ ...look, ...frame, timeMs, byAge: isByAge, theme }, lines.count);
    },
  });

  return {
    ...layer,
    setLines(changed) {
      if (changed === undefined && lines === undefined) return;
      lines = changed;
      needsUpload = true;
      repaint();
    },
    changeLines() {
      needsUpdate = true;
      repaint();
    },
    setCursor(changedMs) {
      if (changedMs === cursorMs) return;
      cursorMs = changedMs;
      if (lines !== undefined && lines.count > 0) repaint();
    },
    setByAge(changed) {
      if (changed === isByAge) return;
      isByAge = changed;
      if (lines) repaint();
    },
    setTheme(changed) {
      theme = changed;
      repaint();
    },
  };
}

interface TrailLook {
  readonly halfPx: number;
  readonly dotPx: number;
  readonly opacity: readonly [past: number, ahead: number];
  readonly passes: Readonly<Record<BasemapTheme, readonly TrailPass[]>>;
}

/** The tokens background and surface of app/globals.css, as for the marks' halo. */
const darkGround = [11 / 255, 17 / 255, 24 / 255] as const;

const lightGround = [1, 1, 1] as const;

const linesOnDark: TrailPass = { growPx: 0, tint: [0, 0, 0, 0], ground: darkGround };

const linesOnLight: TrailPass = { growPx: 0, tint: [0, 0, 0, 0], ground: lightGround };

const PATH_EDGE_PX = 1.25;

export const SELECTED_PATH_LOOK: TrailLook = {
  halfPx: 1.25,
  dotPx: 2.75,
  opacity: [1, 0.45],
  passes: {
    dark: [{ growPx: PATH_EDGE_PX, tint: [...darkGround, 1], ground: darkGround }, linesOnDark],
    light: [{ growPx: PATH_EDGE_PX, tint: [...lightGround, 1], ground: lightGround }, linesOnLight],
  },
};

export const RECENT_TRAILS_LOOK: TrailLook = {
  halfPx: 0.75,
  dotPx: 0,
  opacity: [0.7, 0],
  passes: { dark: [linesOnDark], light: [linesOnLight] },
};

const UNIFORMS = [
  'u_time',
  'u_half_px',
  'u_dot_px',
  'u_grow_px',
  'u_device_px',
  'u_opacity',
  'u_age_top_ms',
  'u_age_stops',
  'u_is_light',
  'u_tint',
  'u_ground',
] as const;

interface TrailPass {
  readonly growPx: number;
  /** Red, green, blue and their share, each 0 to 1. */
  readonly tint: readonly [number, number, number, number];
  /** The colour that lines fade towards, each channel 0 to 1. */
  readonly ground: readonly [number, number, number];
}

interface TrailFrame extends QuadView {
  readonly devicePixelRatio: number;
  /** The cursor, relative to the lines' base. */
  readonly timeMs: number;
  /** Whether lines are coloured by age instead of their own colour. */
  readonly byAge: boolean;
  readonly opacity: readonly [past: number, ahead: number];
  readonly halfPx: number;
  readonly dotPx: number;
  readonly passes: TrailLook['passes'];
  readonly theme: BasemapTheme;
}

interface TrailRenderer {
  upload(lines: TrailLines): void;
  update(lines: TrailLines): void;
  draw(frame: TrailFrame, count: number): void;
  dispose(): void;
}

function makeTrailRenderer(gl: WebGL2RenderingContext): TrailRenderer {
  const quads = makeQuads(gl, {
    vertex: TRAIL_VERTEX_SHADER,
    fragment: TRAIL_FRAGMENT_SHADER,
    uniforms: UNIFORMS,
    recordTexels: LINE_TEXELS,
  });
  const { uniforms } = quads;
  const ageStops = { dark: new Float32Array(AGE_STOPS.dark.flat()), light: new Float32Array(AGE_STOPS.light.flat()) };

  return {
    upload(lines) {
      lines.takeChanges(() => {});
      quads.upload(lines.words(), lines.count);
    },
    update(lines) {
      if (!quads.hasCapacity(lines.count)) return this.upload(lines);
      lines.takeChanges((first, count) => quads.update(lines.words(), first, count));
    },
    draw(frame, count) {
      quads.use(frame);
      gl.uniform1f(uniforms.u_time, frame.timeMs);
      gl.uniform2f(uniforms.u_opacity, ...frame.opacity);
      gl.uniform1f(uniforms.u_age_top_ms, frame.byAge ? AGE_TOP_S * 1000 : 0);
      gl.uniform3fv(uniforms.u_age_stops, ageStops[frame.theme]);
      gl.uniform1i(uniforms.u_is_light, frame.theme === 'light' ? 1 : 0);
      gl.uniform1f(uniforms.u_half_px, frame.halfPx);
      gl.uniform1f(uniforms.u_dot_px, frame.dotPx);
      gl.uniform1f(uniforms.u_device_px, frame.devicePixelRatio);
      for (const { growPx, tint, ground } of frame.passes[frame.theme]) {
        gl.uniform1f(uniforms.u_grow_px, growPx);
        gl.uniform4f(uniforms.u_tint, ...tint);
        gl.uniform3f(uniforms.u_ground, ...ground);
        quads.draw(frame, count);
      }
      gl.bindVertexArray(null);
    },
    dispose: quads.dispose,
  };
}

const AGE_STOP_COUNT = AGE_STOPS.dark.length;

const DOTTED_EVERY_PX = 6;

/** Dots are dropped below the first spacing, and full size from the second. */
const DOT_APART_PX = [5, 9] as const;

/** Opacity mixes a line with the ground: transparency would add up where lines meet. */
const TRAIL_VERTEX_SHADER = `${quadShaderHead(LINE_TEXELS)}
uniform float u_time; // milliseconds since the base
uniform vec2 u_opacity; // of the past, and of what lies after the cursor; 0 is not drawn
uniform float u_age_top_ms; // 0: lines have their own colours
uniform vec3 u_age_stops[${AGE_STOP_COUNT}]; // evenly spaced from age 0
uniform bool u_is_light; // whether the map below is light
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
  float at = clamp(age_ms / u_age_top_ms, 0.0, 1.0) * ${glslFloat(AGE_STOP_COUNT - 1)};
  int low = min(int(at), ${AGE_STOP_COUNT - 2});
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
  uint rgb = u_is_light ? rest.w : look;
  vec3 own = vec3(rgb & 0xffu, rgb >> 8 & 0xffu, rgb >> 16 & 0xffu) / 255.0;
  v_colour = vec4(u_age_top_ms > 0.0 ? age_colour(u_time - shown.x) : own, opacity);
  v_shape = shape;
  v_radius_px = radius_px;
  v_length_px = run_px;
  vec2 at = (is_dot ? to : from) + along * v_px.x + across * v_px.y;
  gl_Position = vec4(at / u_view_px * 2.0, 0.0, 1.0);
}
`;

const TRAIL_FRAGMENT_SHADER = `#version 300 es
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
