import { MARK_MEASURES } from '#components/ui/marks/mark-measures.ts';
import { FLAG_DRONE, FLAG_TEST } from '#lib/model/record-fields.ts';
import { MARK_EMERGENCY, MARK_SELECTED } from '#lib/picture/mark-style.ts';
import { glslFloat } from '../webgl/glsl-float.ts';
import { quadShaderHead } from '../webgl/quads.ts';
import { HEADING_STEPS_PER_DEG, HEADING_UNKNOWN, MARK_TEXELS } from './mark-records.ts';

const { selectedHalfPx, selectedPx, haloPx } = MARK_MEASURES;

/** Reach of a silhouette with contour and halo. */
const PLAIN_HALF_PX = 13.7;

/** One upright quad per mark, large enough for all its decorations. */
export const MARK_VERTEX_SHADER = `${quadShaderHead(MARK_TEXELS)}
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
