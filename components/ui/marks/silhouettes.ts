import type { TrackKind } from '#lib/model/position.ts';

/** CSS pixels at symbol scale 1 from the mark's position, x right, y down; the nose points up (−y). */
export type SymbolPoint = readonly [x: number, y: number];

export interface Silhouette {
  /** A closed polygon, clockwise from the nose, so that dashes are symmetrical. */
  readonly outline: readonly SymbolPoint[];
}

/** Without a heading an aircraft is a disc, and a drone has rotors and arms but no nose. */
export const SILHOUETTE_NAMES = ['aircraft', 'drone', 'aircraft-without-heading', 'drone-without-heading'] as const;
export type SilhouetteName = (typeof SILHOUETTE_NAMES)[number];

export function silhouetteName(kind: TrackKind, headingKnown: boolean): SilhouetteName {
  return headingKnown ? kind : `${kind}-without-heading`;
}

const aircraftHalf: readonly SymbolPoint[] = [
  [0, -9.8],
  [0.75, -9.3],
  [1.25, -8.3],
  [1.5, -6.8],
  [1.5, -3.1],
  [9.3, 2.3],
  [9.6, 2.9],
  [9.6, 4.3],
  [1.5, 2],
  [1.2, 6],
  [3.9, 8],
  [4.1, 8.5],
  [4.1, 9.6],
  [0.6, 8.8],
  [0, 9.4],
];

const rotor = { armPx: 7.3, radiusPx: 2.7 } as const;
const armHalfWidthPx = 1;
const tick = { tipPx: 10.2, headBasePx: 6.8, headHalfWidthPx: 2, stemHalfWidthPx: 0.6 } as const;
const rotorBearingsDeg = [45, 135, 225, 315] as const;

const discRadiusPx = 6.6;

const silhouettes: Readonly<Record<SilhouetteName, Silhouette>> = {
  aircraft: { outline: [...aircraftHalf, ...mirrored(aircraftHalf)] },
  drone: { outline: droneOutline(true) },
  'aircraft-without-heading': { outline: arc([0, 0], discRadiusPx, 0, 354, 60) },
  'drone-without-heading': { outline: droneOutline(false) },
};

export function silhouette(name: SilhouetteName): Silhouette {
  return silhouettes[name];
}

/** SVG path data in symbol pixels. */
export function outlinePath(name: SilhouetteName): string {
  return `M${silhouettes[name].outline.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}Z`;
}

export function outlineLengthPx(name: SilhouetteName): number {
  const { outline } = silhouettes[name];
  return outline.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = outline[(index + 1) % outline.length]!;
    return sum + Math.hypot(nextX - x, nextY - y);
  }, 0);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function mirrored(half: readonly SymbolPoint[]): SymbolPoint[] {
  return half
    .slice(1, -1)
    .reverse()
    .map(([x, y]) => [-x, y]);
}

function at(bearingDeg: number, distancePx: number): SymbolPoint {
  const angle = (bearingDeg * Math.PI) / 180;
  return [distancePx * Math.sin(angle), -distancePx * Math.cos(angle)];
}

function arc(centre: SymbolPoint, radiusPx: number, fromDeg: number, sweptDeg: number, count: number): SymbolPoint[] {
  return Array.from({ length: count }, (_, index) => {
    const [x, y] = at(fromDeg + (sweptDeg * index) / (count - 1), radiusPx);
    return [centre[0] + x, centre[1] + y];
  });
}

function droneOutline(hasTick: boolean): SymbolPoint[] {
  const innerPx = armHalfWidthPx * Math.SQRT2;
  const jointDeg = (Math.asin(armHalfWidthPx / rotor.radiusPx) * 180) / Math.PI;
  const { tipPx, headBasePx, headHalfWidthPx, stemHalfWidthPx } = tick;
  const rightOfTick: SymbolPoint[] = [
    [headHalfWidthPx, -headBasePx],
    [stemHalfWidthPx, -headBasePx],
    [stemHalfWidthPx, -(stemHalfWidthPx + innerPx)],
  ];
  const arms = rotorBearingsDeg.flatMap((bearing, index) => [
    ...arc(at(bearing, rotor.armPx), rotor.radiusPx, bearing + 180 + jointDeg, 2 * (180 - jointDeg), 20),
    ...(index < 3 ? [at(bearing + 45, innerPx)] : []),
  ]);
  if (!hasTick) return [at(0, innerPx), ...arms];
  const leftOfTick = rightOfTick.map(([x, y]): SymbolPoint => [-x, y]).reverse();
  return [[0, -tipPx], ...rightOfTick, ...arms, ...leftOfTick];
}
