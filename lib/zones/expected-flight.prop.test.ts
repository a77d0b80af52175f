import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECEPTION_STATES } from '#lib/contract/reception.ts';
import { LAYERS } from '#lib/model/position.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { compileZones } from './evaluation/compile-zones.ts';
import { instant, ruleOf, seen, zoneOf } from './evaluation/world.fixture.ts';
import { FlightSearch, isInBoxOf, watchOfFlight } from './expected-flight.ts';
import { compilePermit, coverageOf, type PermitTerms } from './permit.ts';
import type { StretchOfLayer } from './stretches/merged-stretches.ts';
import { WATCHED_AS } from './stretches/watched-reception.ts';

const stretchesOf = (layer: StretchOfLayer['layer']) =>
  fc
    .array(
      fc.record({ gap: fc.nat(4), long: fc.integer({ min: 1, max: 9 }), as: fc.constantFrom(...RECEPTION_STATES) }),
      {
        maxLength: 8,
      },
    )
    .map((parts) => {
      let at = 0;
      return parts.map(({ gap, long, as }): StretchOfLayer => {
        const fromMs = at + gap;
        at = fromMs + long;
        return { layer, fromMs, toMs: at, ...WATCHED_AS[as] };
      });
    });
const flight = fc.record({
  layers: fc.subarray([...LAYERS], { minLength: 1 }),
  startMs: fc.nat(30),
  longMs: fc.integer({ min: 1, max: 40 }),
  sinceMs: fc.nat(60),
});

test('of a flight, exactly the time counts in which all its layers were wholly watched', () => {
  fc.assert(
    fc.property(flight, stretchesOf('rid'), stretchesOf('adsb'), (of, rid, adsb) => {
      const { startMs, longMs, layers, sinceMs } = of;
      const time = { startMs, endMs: startMs + longMs, sinceMs, layers: new Set(layers) };
      const found = watchOfFlight(time, [...rid, ...adsb]);
      const isWatched = (layer: string, ms: number) =>
        [...rid, ...adsb].some(
          (each) => each.layer === layer && each.state === 'watched' && each.fromMs <= ms && ms < each.toMs,
        );
      let watchedMs = 0;
      for (let ms = Math.max(startMs, sinceMs); ms < startMs + longMs; ms++)
        if (layers.every((layer) => isWatched(layer, ms))) watchedMs++;
      expect(found).toMatchObject({ watched_s: watchedMs / 1000, of_s: longMs / 1000 });
      if (found.watched_s === found.of_s) expect(found.reason).toBeNull();
    }),
  );
});

const terms = (change: Partial<PermitTerms>): PermitTerms => ({
  layers: ['rid'],
  track: null,
  shape: null,
  vertical: null,
  start: formatInstant(instant(0)),
  end: formatInstant(instant(60)),
  ...change,
});
const SMALL = { type: 'Circle', centre: [8.5, 47.4], radius_m: 300 } as const;
const observation = fc.record({
  atS: fc.integer({ min: -5, max: 65 }),
  northM: fc.integer({ min: -1500, max: 1500 }),
  heightM: fc.option(fc.nat(300), { nil: undefined }),
  kind: fc.constantFrom('drone', 'aircraft'),
  simulated: fc.boolean(),
});

test('a flight is received at its first position that fits, or would if its height were known', () => {
  const vertical = { field: 'height_agl_m', floor_m: null, ceiling_m: 120 } as const;
  fc.assert(
    fc.property(
      fc.constantFrom(
        terms({ shape: { ...SMALL, centre: [8.5, 47.4] } }),
        terms({ vertical }),
        terms({ layers: ['adsb'] }),
      ),
      fc.array(observation, { maxLength: 30 }),
      fc.boolean(),
      (its, all, takesSimulated) => {
        const rules = [ruleOf({ kind: 'entered', simulated: takesSimulated })];
        const awaited = { permit: 'a', revision: 1 };
        const zones = compileZones([zoneOf({ rules, permits: [{ ...its, awaited }] })]);
        const observations = all.map(({ atS, northM, heightM, kind, simulated }) =>
          seen(atS, northM, { kind, simulated, heightAglM: heightM }),
        );
        const fitting = observations.filter(
          ({ layer, position }, index) =>
            coverageOf(compilePermit(its), layer, position) !== 'not' &&
            Math.abs(all[index]!.northM) <= (its.shape ? 300 : 1000) &&
            (takesSimulated || !position.simulated),
        );
        const search = new FlightSearch();
        const found = LAYERS.flatMap((layer) =>
          search.receive(
            zones,
            observations.filter((each) => each.layer === layer),
          ),
        );
        const first = Math.min(...fitting.map(({ position }) => Number(position.observedAt)));
        expect(found).toEqual(fitting.length === 0 ? [] : [{ ...awaited, at: upstreamInstant(first) }]);
      },
    ),
  );
});

test('2000 flights at once delay the reading of 20,000 positions by little', () => {
  const place = (index: number) => ({ lon: 8 + (index % 5) / 10, lat: 47 + Math.floor(index / 5) / 10 });
  const circle = ({ lon, lat }: ReturnType<typeof place>, radius_m: number) => ({
    type: 'Circle' as const,
    centre: [lon, lat] as [number, number],
    radius_m,
  });
  const zones = compileZones(
    Array.from({ length: 20 }, (_, zone) => {
      const permits = Array.from({ length: 100 }, (_, index) => ({
        ...terms({ shape: circle(place(zone), 100 + index) }),
        awaited: { permit: `${zone} ${index}`, revision: 1 },
      }));
      return zoneOf({ id: String(zone), shape: circle(place(zone), 3000), permits });
    }),
  );
  const observations = Array.from({ length: 20_000 }, (_, index) => {
    const { layer, position } = seen(10, 0, { ref: `RX-D-${index}` });
    const [lon, lat] = [7 + (index % 200) / 100, 46 + Math.floor(index / 200) / 50];
    return { layer, position: { ...position, lon, lat } };
  });
  const before = process.threadCpuUsage();
  expect(new FlightSearch().receive(zones, observations).length).toBeGreaterThan(1000);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

test('a volume is watched with its zone only within the box around it', () => {
  const zone = { type: 'Circle', centre: [8.5, 47.4], radius_m: 1000 } as const;
  const at = (lon: number, radius_m: number) => ({
    type: 'Circle' as const,
    centre: [lon, 47.4] as [number, number],
    radius_m,
  });
  expect(
    [null, at(8.5, 1000), at(8.505, 300)].map((shape) => isInBoxOf(shape, { ...zone, centre: [8.5, 47.4] })),
  ).toEqual([true, true, true]);
  expect([at(8.5, 1100), at(8.52, 300)].map((shape) => isInBoxOf(shape, { ...zone, centre: [8.5, 47.4] }))).toEqual([
    false,
    false,
  ]);
});
