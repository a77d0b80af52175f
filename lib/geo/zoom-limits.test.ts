import { expect, test } from 'vitest';
import {
  COVERAGE_FIT_ZOOM_MAX,
  COVERAGE_ZOOM,
  FIT_ZOOM_MAX,
  HOME_ZOOM,
  isZoomIn,
  LINK_ZOOM,
  MAP_ZOOM,
  NEXT_EMERGENCY_ZOOM_MAX,
  RECEIVED_ZOOM,
} from './zoom-limits.ts';

test.each([
  ['a link', 'a home view', LINK_ZOOM, [HOME_ZOOM.min, HOME_ZOOM.max]],
  ['a home view', 'the map', HOME_ZOOM, [MAP_ZOOM.min, MAP_ZOOM.max]],
  ['the map', 'a view of what receivers hear', MAP_ZOOM, [RECEIVED_ZOOM.min, RECEIVED_ZOOM.max]],
  ['the map', 'the map of coverage', MAP_ZOOM, [COVERAGE_ZOOM.min, COVERAGE_ZOOM.max]],
  ['the map', 'the nearest levels of its commands', MAP_ZOOM, [FIT_ZOOM_MAX, NEXT_EMERGENCY_ZOOM_MAX]],
  ['the map of coverage', 'the nearest level of its first view', COVERAGE_ZOOM, [COVERAGE_FIT_ZOOM_MAX]],
])('the levels of %s include those of %s', (_, __, range, levels) => {
  for (const level of levels) expect(isZoomIn(range, level)).toBe(true);
});
