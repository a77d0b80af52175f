import { distanceM } from '#lib/geo/great-circle.ts';
import { seededUnit } from '#lib/random/seeded-random.ts';
import type { Coverage } from '../flights/reception.ts';
import { type Airport, type AirportGroup, airport, airportsOf, codeNumber } from './airports.ts';

export type AircraftTask =
  | { readonly kind: 'transport'; readonly a: Airport; readonly b: Airport; readonly coverage: Coverage }
  | { readonly kind: 'circuit'; readonly field: Airport; readonly coverage: Coverage };

/** A pool of tasks: returns the task of the `ordinal`-th track that is assigned to the pool. */
type Pool = (ordinal: number, seed: number) => AircraftTask;

/**
 * A track's index alone decides its pool. The patterns repeat, so that even a small fleet covers every part of the
 * world, and a larger fleet only adds tracks to a smaller one. The first pattern is for tracks below `FIRST_TRACKS`: it
 * keeps the Alps busy, and 180° and the far north never empty. The second spreads the rest over the world.
 */
const FIRST_TRACKS = 400;
const FIRST_PATTERN = (
  'alpsLocal fiji alpsAirline europe polar alpsLocal europe pacific northAmerica alpsLocal ' +
  'europe atlantic alpsAirline asia europe alpsLocal southAmerica middleEastAfrica europe oceania'
).split(' ') as PoolName[];
const WORLD_PATTERN = (
  'europe northAmerica asia europe northAmerica circuits europe northAmerica asia middleEastAfrica ' +
  'northAmerica europe asia southAmerica europe northAmerica pacific europe asia oceania ' +
  'europe northAmerica asia atlantic northAmerica alpsAirline europe asia middleEastAfrica northAmerica ' +
  'europe polar asia northAmerica asia southAmerica europe alpsTrips northAmerica europe'
).split(' ') as PoolName[];

const ATLANTIC = pairs(
  'EGLL-KJFK LFPG-KJFK EDDF-KORD EHAM-CYYZ LEMD-KMIA BIKF-KBOS LPPT-KEWR EIDW-KBOS LSZH-KJFK EGLL-KLAX ' +
    'EDDF-SBGR LEMD-SAEZ LFPG-CYUL EKCH-KEWR',
);
const PACIFIC = pairs(
  'NZAA-PHNL RJTT-PANC RKSI-KSEA NFFN-NSFA RJAA-KSFO NZAA-NSFA NFFN-PHNL PADK-PANC NZAA-NFTF RJAA-PHNL ' +
    'YSSY-PHNL RKSI-PANC YSSY-KLAX NZAA-NTAA RJTT-KSEA NFFN-NFTF PASY-PADK UHMA-PAOM VHHH-PANC PKMJ-PHNL ' +
    'NZAA-KSFO UHPP-PANC',
);
const FIJI = ['NFNM', 'NFFN'].map((icao) => circuitAt(airport(icao), 'sparse'));
const FIJI_PAIRS = pairs('NFNA-NFNM NFFN-NFNM NFFN-NFNA NFFN-NFTF NFFN-NSFA NFFN-NZAA');
const POLAR = pairs(
  'ENSB-ENAS CYLT-BGTL ENSB-ENTC CYEU-CYRB CYRB-CYFB KORD-VHHH BGTL-BGSF PABR-PANC OMDB-KLAX UOOO-UEST ' +
    'UUEE-KSEA KJFK-VIDP EFHK-RJTT NZCH-NZPG SCRM-SAEZ',
);

const TRAINING_FIELDS = [...airportsOf('training'), ...airportsOf('alpsSmall')];

const local = [...airportsOf('alpsSmall'), ...airportsOf('alps').filter((field) => field.size !== 'large')];

const POOLS = {
  alpsLocal: alternate([
    (ordinal) => circuitAt(at(airportsOf('alpsSmall'), ordinal), 'dense'),
    trips(local, local, 30_000, 200_000, 'dense'),
    trips(airportsOf('alps'), airportsOf('alps'), 90_000, 260_000, 'dense'),
  ]),
  alpsTrips: trips(local, local, 30_000, 200_000, 'dense'),
  alpsAirline: trips(
    [airport('LSZH'), airport('LSGG'), airport('LFSB')],
    airportsOf('europe'),
    400_000,
    1_800_000,
    'dense',
  ),
  europe: within('europe', 350_000, 2_400_000, 'dense'),
  northAmerica: within('northAmerica', 350_000, 3_900_000, 'dense'),
  asia: within('asia', 500_000, 4_500_000, 'sparse'),
  middleEastAfrica: within('middleEastAfrica', 500_000, 4_000_000, 'sparse'),
  southAmerica: within('southAmerica', 400_000, 3_500_000, 'sparse'),
  oceania: within('oceania', 400_000, 3_500_000, 'sparse'),
  atlantic: (ordinal) => between(at(ATLANTIC, ordinal), 'remote'),
  pacific: (ordinal) => between(at(PACIFIC, ordinal), 'remote'),
  fiji: (ordinal) => FIJI[ordinal] ?? between(at(FIJI_PAIRS, ordinal - FIJI.length), 'sparse'),
  polar: (ordinal) => between(at(POLAR, ordinal), 'remote'),
  circuits: (ordinal) => circuitAt(at(TRAINING_FIELDS, ordinal), 'dense'),
} satisfies Record<string, Pool>;

type PoolName = keyof typeof POOLS;

/** The tasks of tracks 0 to `count` - 1. */
export function allotAircraft(seed: number, count: number): AircraftTask[] {
  const taken = new Map<PoolName, number>();
  return Array.from({ length: count }, (_, index) => {
    const pattern = index < FIRST_TRACKS ? FIRST_PATTERN : WORLD_PATTERN;
    const name = at(pattern, index);
    const ordinal = taken.get(name) ?? 0;
    taken.set(name, ordinal + 1);
    const pool: Pool = POOLS[name];
    return pool(ordinal, seed);
  });
}

function at<T>(items: readonly T[], ordinal: number): T {
  return items[ordinal % items.length]!;
}

function circuitAt(field: Airport, coverage: Coverage): AircraftTask {
  return { kind: 'circuit', field, coverage };
}

function between([a, b]: readonly [Airport, Airport], coverage: Coverage): AircraftTask {
  return { kind: 'transport', a, b, coverage };
}

function pairs(list: string): [Airport, Airport][] {
  return list.split(' ').map((pair) => [airport(pair.slice(0, 4)), airport(pair.slice(5))]);
}

function alternate(pools: readonly Pool[]): Pool {
  return (ordinal, seed) => at(pools, ordinal)(Math.floor(ordinal / pools.length), seed);
}

function within(group: AirportGroup, minM: number, maxM: number, coverage: Coverage): Pool {
  const airports = airportsOf(group).filter(({ size }) => size !== 'small');
  return trips(airports, airports, minM, maxM, coverage);
}

/** Picks seeded pairs of airports that are `minM` to `maxM` apart, inclusive. */
function trips(from: readonly Airport[], to: readonly Airport[], minM: number, maxM: number, coverage: Coverage): Pool {
  const found: [Airport, Airport][] = [];
  for (const a of from) {
    for (const b of to) {
      const distance = distanceM(a, b);
      if (distance >= minM && distance <= maxM) found.push([a, b]);
    }
  }
  return (ordinal, seed) => {
    const first = found[0]!;
    const key = codeNumber(first[0].icao) + found.length;
    return between(found[Math.floor(found.length * seededUnit(seed, key, ordinal))]!, coverage);
  };
}
