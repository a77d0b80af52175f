import 'server-only';

export interface SharedArea {
  /** Requests per refresh, more than 0. */
  readonly cost: number;
  /** By operator; not empty. */
  readonly views: ReadonlyMap<string, number>;
}

/**
 * Operators have equal shares, each for all areas in view alike; a shared area is refreshed from several shares.
 * Capacity that areas at the shortest interval leave raises all shares.
 *
 * The sum of costs over intervals is the rate, or less where every area is at the shortest interval.
 * @param ratePerS requests per second, at least 0
 * @param weightOf relative share, more than 0
 * @param minMsOf the shortest interval of an area
 */
export function fairIntervals(
  areas: readonly SharedArea[],
  ratePerS: number,
  weightOf: (operator: string) => number,
  minMsOf: (area: SharedArea) => number,
): number[] {
  const requests = new Map<string, number>();
  for (const { cost, views } of areas)
    for (const operator of views.keys()) requests.set(operator, (requests.get(operator) ?? 0) + cost);
  /** Refreshes per request of a share. */
  const speeds = areas.map(({ views }) =>
    views.keys().reduce((sum, operator) => sum + weightOf(operator) / (requests.get(operator) ?? 1), 0),
  );
  const minMs = areas.map(minMsOf);
  /** How much of a share an area takes until it is at its shortest interval. */
  const shareMax = (index: number) => 1000 / (minMs[index] as number) / (speeds[index] as number);
  // The share rises until the first areas reach their shortest interval, then with the rest alone.
  const firstToLast = [...areas.keys()].sort((a, b) => shareMax(a) - shareMax(b));
  let left = ratePerS;
  let spending = areas.reduce((sum, { cost }, index) => sum + cost * (speeds[index] as number), 0);
  let share = 0;
  for (const index of firstToLast) {
    const [cost, speed] = [(areas[index] as SharedArea).cost, speeds[index] as number];
    share = left / spending;
    if (share < shareMax(index)) break;
    left -= (cost * 1000) / (minMs[index] as number);
    spending -= cost * speed;
  }
  return speeds.map((speed, index) => Math.max(minMs[index] as number, 1000 / (share * speed)));
}
