import type { Ring } from './planar-ring.ts';

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/**
 * Directly or through others. Returns indexes. A ring is stored in every 1° cell that it touches, so rings should be
 * small.
 */
export function groupTouching(rings: readonly Ring[], gapDeg: number): number[][] {
  const boxes = rings.map((ring) => boxAround(ring, gapDeg / 2));
  const parents = rings.map((_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]!]!;
      at = parents[at]!;
    }
    return at;
  };

  const cells = new Map<number, number[]>();
  for (const [i, box] of boxes.entries()) {
    for (let lon = Math.floor(box.west); lon <= Math.floor(box.east); lon++) {
      for (let lat = Math.floor(box.south); lat <= Math.floor(box.north); lat++) {
        const key = lon * 1000 + lat;
        const cell = cells.get(key);
        if (cell === undefined) {
          cells.set(key, [i]);
          continue;
        }
        for (const other of cell) if (overlap(box, boxes[other]!)) parents[root(i)] = root(other);
        cell.push(i);
      }
    }
  }

  const groups = new Map<number, number[]>();
  for (const i of rings.keys()) {
    const group = groups.get(root(i));
    if (group === undefined) groups.set(root(i), [i]);
    else group.push(i);
  }
  return [...groups.values()];
}

function boxAround(ring: Ring, marginDeg: number): Box {
  let [west, south] = ring[0]!;
  let [east, north] = ring[0]!;
  for (const [lon, lat] of ring) {
    west = Math.min(west, lon);
    east = Math.max(east, lon);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  return { west: west - marginDeg, south: south - marginDeg, east: east + marginDeg, north: north + marginDeg };
}

function overlap(a: Box, b: Box): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north;
}
