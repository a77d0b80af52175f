import { parseCoordinates } from '#lib/geo/parse-coordinates.ts';
import type { ImportProblem } from './formats/import-report.ts';
import type { LonLatPair } from './formats/read-values.ts';
import type { ZoneShape } from './zone.ts';
import { ZONE_CORNERS_MAX, ZONE_LIMITS } from './zone-limits.ts';

export type TypedShape =
  | { readonly ok: true; readonly shape: ZoneShape }
  | { readonly ok: false; readonly problems: readonly ImportProblem[] };

export interface TypedInput {
  readonly type: ZoneShape['type'];
  /** One place a line: decimal degrees, minutes and seconds, or MGRS. */
  readonly text: string;
  /** Radius or half width; null for a polygon. */
  readonly metres: number | null;
}

const LINES_MAX = 5000;
const FEWEST = { Polygon: 3, Circle: 1, Corridor: 2 } as const;
const MOST = { Polygon: ZONE_CORNERS_MAX, Circle: 1, Corridor: ZONE_CORNERS_MAX } as const;
const METRES_MAX = {
  Polygon: 0,
  Circle: ZONE_LIMITS.radius_m.max,
  Corridor: ZONE_LIMITS.half_width_m.max,
} as const;
const LENGTH = { Polygon: '', Circle: 'The radius', Corridor: 'The half width' } as const;

export function typedShape({ type, text, metres }: TypedInput): TypedShape {
  const problems: ImportProblem[] = [];
  const positions: LonLatPair[] = [];
  const lines = text.split('\n', LINES_MAX + 1);
  if (lines.length > LINES_MAX)
    return { ok: false, problems: [{ place: 'The text', problem: `More than ${LINES_MAX} lines.` }] };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const reading = parseCoordinates(line);
    if (reading?.ok) {
      const { lon, lat } = reading.place;
      const last = positions.at(-1);
      if (last?.[0] !== lon || last[1] !== lat) positions.push([lon, lat]);
    } else {
      const problem =
        reading?.problem ?? 'No coordinates. Try 47.458, 8.548 or 47°27\'29"N 8°32\'53"E or 32T MT 65928 56316.';
      problems.push({ place: `Line ${index + 1}`, problem });
    }
  }
  const [first, last] = [positions[0], positions.at(-1)];
  const isClosed = positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const corners = type === 'Polygon' && isClosed ? positions.slice(0, -1) : positions;
  if (problems.length === 0 && corners.length < FEWEST[type])
    problems.push({
      place: 'The text',
      problem: `${corners.length} places; at least ${FEWEST[type]} are needed, one a line.`,
    });
  if (corners.length > MOST[type])
    problems.push({ place: 'The text', problem: `${corners.length} places; at most ${MOST[type]} are possible.` });
  const length = metres ?? Number.NaN;
  if (type !== 'Polygon' && !(length >= 1 && length <= METRES_MAX[type]))
    problems.push({ place: LENGTH[type], problem: `It must be 1 to ${METRES_MAX[type]} metres.` });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, shape: shapeOf(type, corners, length) };
}

function shapeOf(type: ZoneShape['type'], corners: readonly LonLatPair[], metres: number): ZoneShape {
  const first = corners[0] as LonLatPair;
  switch (type) {
    case 'Polygon':
      return { type, coordinates: [[...corners, first]] };
    case 'Circle':
      return { type, centre: first, radius_m: metres };
    case 'Corridor':
      return { type, line: [...corners], half_width_m: metres };
  }
}
