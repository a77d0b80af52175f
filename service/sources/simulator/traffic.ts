import { distanceM } from '#lib/geo/great-circle.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import { AIRPORTS, type Airport, ALL_AIRPORTS } from './airports.ts';
import { aircraftTrack, droneTrack } from './motion.ts';
import type { Range, SimulatedTrack } from './track.ts';

export interface TrafficOptions {
  readonly seed: number;
  /** Each track is live almost all the time. */
  readonly aircraft: number;
  readonly drones: number;
}

type Flown = readonly [Airport, Airport];

const { alpine, alpineFields, far } = AIRPORTS;
const ALPINE = [...alpine, ...alpineFields];
const ELSEWHERE = ALL_AIRPORTS.filter((airport) => !ALPINE.includes(airport));

/** One from an airport to itself is a circuit. */
const ROUTES = {
  alpineCircuit: alpineFields.map((field): Flown => [field, field]),
  alpineHop: between(ALPINE, ALPINE, [40_000, 200_000]),
  alpineAirline: between(alpine.slice(0, 3), AIRPORTS.europe, [400_000, 1_800_000]),
  europe: regional('europe', [350_000, 2_400_000]),
  northAmerica: regional('northAmerica', [350_000, 3_900_000]),
  asia: regional('asia', [500_000, 4_500_000]),
  africa: regional('africa', [500_000, 4_000_000]),
  southAmerica: regional('southAmerica', [400_000, 3_500_000]),
  oceania: regional('oceania', [400_000, 3_500_000]),
  longHaul: named(
    'EGLL-KJFK LFPG-KIAD EDDF-KORD EHAM-CYYZ LEMD-KMIA LSZH-KJFK EGLL-KLAX EDDF-SBGR LEMD-SAEZ BIKF-KBOS ' +
      'NZAA-PHNL RJTT-PANC RKSI-KSEA RJTT-KSFO YSSY-PHNL YSSY-KLAX NZAA-NTAA VHHH-PANC OMDB-KLAX KORD-VHHH ' +
      'UUEE-KSEA EFHK-RJTT OMDB-EGLL WSSS-FAOR',
  ),
  /** Both sides of 180°, and Svalbard: never empty. */
  far: named('NFNM-NFNM NFFN-NFFN ENSB-ENSB NFFN-NFNM ENSB-ENAS NFNA-NFNA'),
} satisfies Record<string, readonly Flown[]>;

const SITES = { alpine: [...alpineFields, ...alpine], far, world: shuffled(ELSEWHERE) };

interface Mix<Name> {
  /** The routes of the first tracks: they make the Alps busy, and suffice for small fleets. */
  readonly first: readonly Name[];
  readonly firstCount: number;
  readonly rest: readonly Name[];
}

const AIRCRAFT_MIX: Mix<keyof typeof ROUTES> = {
  first: names(
    'alpineCircuit far alpineAirline europe longHaul alpineHop europe oceania northAmerica alpineHop ' +
      'europe longHaul alpineAirline asia europe alpineHop southAmerica africa europe northAmerica',
  ),
  firstCount: 400,
  rest: names(
    'europe northAmerica asia europe northAmerica asia europe northAmerica asia africa ' +
      'europe southAmerica northAmerica europe asia oceania longHaul europe alpineAirline northAmerica',
  ),
};
const DRONE_MIX: Mix<keyof typeof SITES> = {
  first: names('alpine far alpine far world alpine world alpine world world'),
  firstCount: 60,
  rest: names('world world world world alpine world world world far world'),
};

/** A larger number of tracks adds to a smaller one. */
export function makeTracks({ seed, aircraft, drones }: TrafficOptions): SimulatedTrack[] {
  return [
    ...select(ROUTES, AIRCRAFT_MIX, aircraft).map((route, index) => aircraftTrack(seed, index, route)),
    ...select(SITES, DRONE_MIX, drones).map((airport, index) => droneTrack(seed, index, airport)),
  ];
}

function select<Name extends string, Item>(
  pools: Readonly<Record<Name, readonly Item[]>>,
  { first, firstCount, rest }: Mix<Name>,
  count: number,
): Item[] {
  const taken = new Map<Name, number>();
  return Array.from({ length: count }, (_, index) => {
    const mix = index < firstCount ? first : rest;
    const name = mix[index % mix.length]!;
    const ordinal = taken.get(name) ?? 0;
    taken.set(name, ordinal + 1);
    return pools[name][ordinal % pools[name].length]!;
  });
}

function names<Name extends string>(list: string): Name[] {
  return list.split(' ') as Name[];
}

function named(list: string): Flown[] {
  const airport = (icao: string) => ALL_AIRPORTS.find((each) => each.icao === icao)!;
  return list.split(' ').map((pair) => [airport(pair.slice(0, 4)), airport(pair.slice(5))]);
}

function regional(region: keyof typeof AIRPORTS, apartM: Range): Flown[] {
  return between(AIRPORTS[region], AIRPORTS[region], apartM);
}

/** Pairs of airports in shuffled order: otherwise, successive tracks would fly from the same airport. */
function between(from: readonly Airport[], to: readonly Airport[], [minM, maxM]: Range): Flown[] {
  const all = from.flatMap((a) => to.map((b): Flown => [a, b]));
  return shuffled(all.filter(([a, b]) => distanceM(a, b) >= minM && distanceM(a, b) <= maxM));
}

/** The order is the same every time. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item, index) => ({ item, rank: seededUnit(0, index) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
