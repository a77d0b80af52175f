import fc from 'fast-check';
import { destination, type LonLat } from '#lib/geo/great-circle.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import type { Layer } from '#lib/model/position.ts';
import type { Observation, WatchedNote, WatchedRule, WatchedZone } from '../evaluation/transition.ts';
import { instant, ruleOf, zoneOf } from '../evaluation/world.fixture.ts';
import { shapesNear } from './arbitrary-shape.fixture.ts';
import type { NaiveCall } from './naive-time.fixture.ts';

export interface World {
  readonly zones: readonly WatchedZone[];
  readonly calls: readonly NaiveCall[];
}

const middle = fc.constantFrom<LonLat>({ lon: 8.5, lat: 47.4 }, { lon: 180, lat: -16 }, { lon: -179.99, lat: 68 });
const LAST_S = 1500;

const holds = {
  hold_s: fc.constantFrom(0, 0, 5, 20, 90),
  hold_m: fc.constantFrom(0, 0, 30),
  hold_out_s: fc.constantFrom(0, 0, 10, 60),
  hold_out_m: fc.constantFrom(0, 0, 30),
  simulated: fc.boolean(),
  min_receivers: fc.constantFrom(1, 1, 2),
};
const field = fc.constantFrom('height_agl_m', 'altitude_m');
const beyond = fc.constantFrom('above', 'below');
const rules = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('entered' as const), ...holds }) },
    fc.record({ kind: fc.constant('left' as const), ...holds }),
    fc.record({ kind: fc.constant('inside_longer' as const), ...holds, longer_s: fc.constantFrom(30, 120) }),
    fc.record({ kind: fc.constant('speed' as const), ...holds, beyond, speed_mps: fc.constant(20) }),
    fc.record({ kind: fc.constant('height' as const), ...holds, beyond, field, height_m: fc.constant(100) }),
    fc.record({ kind: fc.constant('emergency' as const), ...holds }),
    fc.record({
      kind: fc.constant('closer' as const),
      ...holds,
      horizontal_m: fc.constantFrom(200, 1000),
      vertical_m: fc.constantFrom(null, 60),
      field,
    }),
    fc.record({ kind: fc.constant('about_to_enter' as const), ...holds, within_s: fc.constantFrom(10, 60) }),
    fc.record({ kind: fc.constant('nothing_received' as const), for_s: fc.constantFrom(60, 200) }),
  ),
  { minLength: 1, maxLength: 3 },
);

const permits = fc.array(
  fc
    .record({
      times: fc.tuple(fc.integer({ min: 0, max: LAST_S }), fc.integer({ min: 0, max: LAST_S })),
      ceiling_m: fc.constantFrom(null, 120),
      own: fc.boolean(),
    })
    .map(({ times, ceiling_m, own }) => {
      const [start = 0, end = 0] = times.toSorted((a, b) => a - b);
      return {
        layers: ['rid' as const],
        track: own ? { layer: 'rid' as const, ref: 'RX-D-0' } : null,
        shape: null,
        vertical: ceiling_m === null ? null : { field: 'height_agl_m' as const, floor_m: null, ceiling_m },
        start: new Date(Number(instant(start))).toISOString(),
        end: new Date(Number(instant(end))).toISOString(),
      };
    }),
  { maxLength: 2 },
);

/** Begin or end within the world. */
const hours = fc.constantFrom(null, null, {
  time_zone: 'Europe/Zurich',
  weekly: [
    { days: ['sat' as const], from: '13:05', to: '13:12' },
    { days: ['sat' as const], from: '13:15', to: '14:00' },
  ],
});

function zones(around: LonLat): fc.Arbitrary<WatchedZone[]> {
  const vertical = fc.option(
    fc.record({
      field,
      floor_m: fc.constantFrom(null, 0, 50),
      ceiling_m: fc.constantFrom(null, 60, 150),
      unknown: fc.constantFrom('counts', 'excluded', 'flagged'),
    }),
  );
  const zone = fc.record({ shape: shapesNear(around), vertical, hours, rules, permits });
  return fc.array(zone, { minLength: 1, maxLength: 3 }).map((all) =>
    all.map((one, at) =>
      zoneOf({
        ...one,
        id: `zone-${at}`,
        hours: one.rules.some(({ kind }) => kind === 'nothing_received') ? null : one.hours,
        rules: one.rules.map((rule, index) => ({ ...ruleOf(rule as never), id: `rule-${at}-${index}` }) as WatchedRule),
      } as Partial<WatchedZone>),
    ),
  );
}

const stepS = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 14 }) },
  { weight: 2, arbitrary: fc.integer({ min: 15, max: 70 }) },
  fc.integer({ min: 71, max: 400 }),
);
const step = fc.record({
  seconds: stepS,
  /** The way is cut to 60 m/s. */
  course: fc.integer({ min: 0, max: 359 }),
  lengthM: fc.integer({ min: 0, max: 2500 }),
  heightAglM: fc.constantFrom(undefined, 0, 40, 55, 110, 160),
  altitudeM: fc.constantFrom(undefined, 40, 110, 160),
  speedMps: fc.constantFrom(undefined, 0, 10, 25),
  headingDeg: fc.constantFrom(undefined, 0, 90, 180, 270),
  emergencyState: fc.constantFrom(undefined, 'none', 'general'),
  receiverCount: fc.constantFrom(undefined, 1, 2, 3),
});

function track(around: LonLat): fc.Arbitrary<Observation[]> {
  return fc
    .record({
      layer: fc.constantFrom<Layer>('rid', 'rid', 'adsb'),
      name: fc.integer({ min: 0, max: 4 }),
      startS: fc.integer({ min: 0, max: 300 }),
      simulated: fc.constantFrom(false, false, true),
      steps: fc.array(step, { minLength: 3, maxLength: 40 }),
    })
    .map(({ layer, name, startS, simulated, steps }) => {
      let atS = startS;
      const kind = layer === 'rid' ? 'drone' : 'aircraft';
      return steps.map(({ seconds, course, lengthM, ...fields }) => {
        atS += seconds;
        const place = destination(around, course, lengthM);
        const ref = `RX-${layer === 'rid' ? 'D' : 'A'}-${name}`;
        return {
          layer,
          position: { ...plainPosition, ...fields, ...place, kind, ref, simulated, observedAt: instant(atS) },
        };
      });
    });
}

const notes = (ids: readonly string[]) =>
  fc
    .array(
      fc.tuple(
        fc.integer({ min: 1, max: 250 }),
        fc.constantFrom('watched', 'watched', 'watched', 'partly', 'not_watched', 'none'),
        /** Seconds before it that turn out not to have been watched either. */
        fc.constantFrom(0, 0, 0, 7, 90, 400),
      ),
      { minLength: 5, maxLength: 25 },
    )
    .map((stretches) => {
      let atS = -20;
      return stretches.flatMap(([seconds, state, backS]): WatchedNote[] => {
        const reachesBack = state === 'partly' || state === 'not_watched';
        const [from, to] = [instant(reachesBack ? atS - backS : atS), instant(atS + seconds)];
        atS += seconds;
        if (state === 'none') return [];
        const reason = state === 'watched' ? null : 'upstream';
        return ids.flatMap((zoneId) =>
          (['rid', 'adsb'] as const).map((layer) => ({
            zoneId,
            layer,
            from,
            to,
            state: state as WatchedNote['state'],
            reason,
          })),
        );
      });
    });

/** Some are late, some repeated. */
export const arbitraryWorld: fc.Arbitrary<World> = middle.chain((around) =>
  fc.tuple(zones(around), fc.array(track(around), { minLength: 1, maxLength: 5 })).chain(([all, tracks]) => {
    const observations = tracks
      .flat()
      .filter(({ position }, index, list) => list.findIndex((one) => isSame(one.position, position)) === index);
    const delivery = fc.record({
      delayS: fc.constantFrom(0, 0, 0, 0, 3, 40),
      again: fc.constantFrom(false, false, true),
    });
    return fc
      .record({
        notes: notes(all.map(({ id }) => id)),
        everyS: fc.constantFrom(1, 7, 60, 5000),
        deliveries: fc.array(delivery, { minLength: observations.length, maxLength: observations.length }),
      })
      .map((read): World => {
        const calls = new Map<number, { observations: Observation[]; watched: WatchedNote[] }>();
        const callAt = (ms: number) => {
          const at = Math.ceil((ms - Number(instant(-100))) / 1000 / read.everyS);
          const call = calls.get(at) ?? { observations: [], watched: [] };
          calls.set(at, call);
          return call;
        };
        for (const [index, observation] of observations.entries()) {
          const { delayS, again } = read.deliveries[index] as { delayS: number; again: boolean };
          const atMs = Number(observation.position.observedAt);
          callAt(atMs + delayS * 1000).observations.push(observation);
          if (again) callAt(atMs + (delayS + 20) * 1000).observations.push(observation);
        }
        for (const note of read.notes) callAt(Number(note.to)).watched.push(note);
        const ordered = [...calls].toSorted(([one], [next]) => one - next).map(([, call]) => call);
        return { zones: all, calls: ordered };
      });
  }),
);

function isSame(one: Observation['position'], other: Observation['position']): boolean {
  return one.ref === other.ref && one.observedAt === other.observedAt;
}
