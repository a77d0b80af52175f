import 'server-only';
import type { Bbox } from '#lib/geo/bbox.ts';
import { dropCovered } from './drop-covered.ts';
import { mergeAreas } from './merge-areas.ts';
import { outermostBoxes } from './outermost-boxes.ts';
import type { Expected } from './request-cost.ts';
import { splitByCount } from './split-by-count.ts';
import { viewportArea, withArea } from './viewport-area.ts';

export function planAreas(viewports: readonly Bbox[], expected: Expected, previous: readonly Bbox[]): readonly Bbox[] {
  const seen = outermostBoxes(viewports.map(withArea));
  return freshPlan(seen, expected);
}

export function freshPlan(seen: readonly Bbox[], expected: Expected): readonly Bbox[] {
  const merged = mergeAreas(seen, expected).map((area) => viewportArea(area, expected));
  const needed = dropCovered(merged, seen, expected);
  return dropCovered(
    needed.flatMap((area) => splitByCount(area, expected)),
    seen,
    expected,
  );
}
