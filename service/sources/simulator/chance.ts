/** Independent uses of the seed. */
export const CHANCE = {
  aircraft: 1,
  drone: 2,
  flight: 3,
  phase: 4,
  standDistance: 5,
  standBearing: 6,
  shape: 7,
  speed: 8,
  level: 9,
  stopEast: 10,
  stopNorth: 11,
  stopHeight: 12,
  period: 13,
  late: 14,
  lost: 15,
  gap: 16,
  gapLength: 17,
  noiseEast: 18,
  noiseNorth: 19,
  unreported: 20,
  emergency: 21,
  emergencyStart: 22,
  emergencyState: 23,
  label: 24,
  receivers: 25,
  score: 26,
  orbit: 27,
} as const;

export type Range = readonly [low: number, high: number];

/** @param unit 0 to 1 */
export function within([low, high]: Range, unit: number): number {
  return low + (high - low) * unit;
}
