import { destination } from '#lib/geo/great-circle.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { DRONE_SITES, type DroneSite, type SiteGroup } from './drone-sites.ts';

/** As for aircraft: the first tracks keep the Alps and 180° lively, the rest are spread over the world. */
const FIRST_TRACKS = 60;
const FIRST_PATTERN = 'alps dateline alps dateline world alps world alps world world'.split(' ') as SiteGroup[];
const WORLD_PATTERN = 'world world world world alps world world world dateline world'.split(' ') as SiteGroup[];

/** Drones of one town start within this of its middle; further out where more of them share the town. */
const SPREAD_M = 2500;
const SPREAD_MAX_M = 25_000;

/** The sites of drones 0 to `count` - 1: the pattern says which part of the world, its towns take turns. */
export function allotDrones(seed: number, count: number): DroneSite[] {
  const taken = new Map<SiteGroup, number>();
  return Array.from({ length: count }, (_, index) => {
    const pattern = index < FIRST_TRACKS ? FIRST_PATTERN : WORLD_PATTERN;
    const group = pattern[index % pattern.length]!;
    const ordinal = taken.get(group) ?? 0;
    taken.set(group, ordinal + 1);
    const towns = DRONE_SITES[group];
    const town = towns[ordinal % towns.length]!;
    const spreadM = Math.min(SPREAD_MAX_M, SPREAD_M * Math.sqrt(1 + Math.floor(ordinal / towns.length)));
    const distance = spreadM * Math.sqrt(seededUnit(seed, index, 1));
    const place = destination(town, 360 * seededUnit(seed, index, 2), distance);
    return { ...place, elevationM: town.elevationM };
  });
}
