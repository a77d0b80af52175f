import type { Trail } from './trail.ts';

type Line = [lon: number, lat: number][];

/** A trail's solid lines as coordinates of a GeoJSON MultiLineString. Runs of a single position are omitted. */
export function solidLines(trail: Trail): Line[] {
  const lines: Line[] = [];
  for (let run = 0; run < trail.runCount; run++) {
    const start = trail.runStarts[run] as number;
    const end = trail.runEnd(run);
    if (end - start < 2) continue;
    lines.push(Array.from({ length: end - start }, (_, offset) => pointOf(trail, start + offset)));
  }
  return lines;
}

/** The dotted connectors, each between two received positions. */
export function dottedConnectors(trail: Trail): Line[] {
  const lines: Line[] = [];
  for (let run = 0; run < trail.runCount; run++) {
    if (trail.runConnected[run] !== 1) continue;
    const start = trail.runStarts[run] as number;
    lines.push([pointOf(trail, start - 1), pointOf(trail, start)]);
  }
  return lines;
}

function pointOf(trail: Trail, index: number): [lon: number, lat: number] {
  return [trail.coordinates[index * 2] as number, trail.coordinates[index * 2 + 1] as number];
}
