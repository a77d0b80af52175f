import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bbox } from '#lib/geo/bbox.ts';
import type { Layer } from '#lib/model/position.ts';
import { addMs, epochMs, type LocalInstant, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { Demand } from '../live/demand.ts';
import { UpstreamClock } from '../upstream/upstream-clock.ts';
import { DemandOfAll, parseSharedDemand, type SharedDemand, sharedViews } from './shared-demand.ts';

const START = localInstant(Date.UTC(2026, 10, 21, 12));
const NOW = addMs(START, 40_000);
const REPLICAS = ['a', 'b', 'c'] as const;
const ZURICH = { west: 8, south: 47, east: 9, north: 48 };
const VIENNA = { west: 16, south: 48, east: 17, north: 48.5 };

/** A page is heard at a server, with what it looks at then. */
const hearing = fc.record({
  replica: fc.constantFrom(...REPLICAS),
  viewer: fc.record({
    operator: fc.constantFrom('ann', 'ben'),
    session: fc.constantFrom(undefined, 's1'),
    page: fc.constantFrom('1', '2'),
  }),
  box: fc.constantFrom<Bbox>(ZURICH, VIENNA, { west: -180, south: -1, east: -170, north: 1 }),
  layers: fc.constantFrom<readonly Layer[]>(['rid'], ['rid', 'adsb']),
});

/** The clocks of the servers differ by that, and each knows its own difference from the upstream's. */
function clockAhead(ms: number): UpstreamClock {
  const clock = new UpstreamClock(() => addMs(NOW, ms));
  clock.sample(upstreamInstant(epochMs(NOW)), addMs(NOW, ms), addMs(NOW, ms));
  return clock;
}

const viewsOf = (demand: Demand) =>
  demand
    .views()
    .map(({ viewer, boxes, layers }) => JSON.stringify([viewer, boxes, layers]))
    .sort();

test('what all look at is what each page looked at last, in whatever order, how often and in what pieces it is told', () => {
  fc.assert(
    fc.property(
      fc.array(hearing, { maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      fc.array(fc.integer({ min: -90_000, max: 90_000 }), { minLength: 4, maxLength: 4 }),
      (hearings, dice, ahead) => {
        const expected = new Demand();
        const texts: string[] = [];
        const latest: SharedDemand[] = [];
        for (const [index, replica] of REPLICAS.entries()) {
          const own = new Demand();
          const aheadMs = ahead[index] as number;
          const clock = clockAhead(aheadMs);
          const publish = (since: number, at: LocalInstant): SharedDemand => ({
            replica,
            name: replica,
            at: epochMs(clock.fromLocal(at)),
            since,
            version: own.version,
            viewers: own.viewers,
            isLeaving: false,
            retries: { rid: 0, adsb: 0 },
            views: sharedViews(own.views(since), clock),
          });
          let since = 0;
          for (const [second, heard] of hearings.entries()) {
            if (heard.replica !== replica) continue;
            const at = addMs(addMs(START, aheadMs), second * 1000);
            own.heard(heard.viewer, [heard.box], heard.layers, at);
            // Some of it gets lost.
            if ((dice.next().value as number) % 3 > 0) texts.push(JSON.stringify(publish(since, at)));
            since = own.version;
          }
          const whole = publish(0, addMs(NOW, aheadMs));
          latest.push(whole);
          texts.push(JSON.stringify(whole), JSON.stringify(whole));
        }
        for (const [second, { viewer, box, layers }] of hearings.entries())
          expected.heard(viewer, [box], layers, addMs(START, second * 1000));
        const mine = ahead[3] as number;
        const demand = new Demand();
        const all = new DemandOfAll(demand, clockAhead(mine), () => addMs(NOW, mine));
        const shuffled = texts
          .map((text) => ({ text, place: dice.next().value as number }))
          .sort((a, b) => a.place - b.place);
        for (const { text } of shuffled) all.take(parseSharedDemand(text) as SharedDemand);
        expect(viewsOf(demand)).toEqual(viewsOf(expected));
        expect(all.versions).toEqual(Object.fromEntries(latest.map(({ replica, version }) => [replica, version])));
        expect(all.present.map(({ viewers }) => viewers)).toEqual(latest.map(({ viewers }) => viewers));
      },
    ),
  );
});

test('what was told in part is not taken for all of it, and a piece that is missing is not taken for known', () => {
  const demand = new Demand();
  const all = new DemandOfAll(demand, clockAhead(0), () => NOW);
  const nothing = {
    name: 'a',
    at: epochMs(NOW),
    viewers: 0,
    isLeaving: false,
    retries: { rid: 0, adsb: 0 },
    views: [],
  };
  all.take({ ...nothing, replica: 'a', since: 0, version: 2 });
  all.take({ ...nothing, replica: 'a', since: 3, version: 4 });
  expect(all.versions).toEqual({ a: 2 });
  all.take({ ...nothing, replica: 'a', since: 0, version: 5 });
  expect(all.versions).toEqual({ a: 5 });
});

test('anything else is not read as demand', () => {
  const own = new Demand();
  own.heard({ operator: 'ann', session: undefined, page: '1' }, [ZURICH], ['rid'], NOW);
  const clock = clockAhead(0);
  const good = {
    replica: 'a',
    name: 'a',
    at: 1,
    since: 0,
    version: 1,
    viewers: 1,
    views: sharedViews(own.views(), clock),
  };
  const [view] = good.views;
  expect(parseSharedDemand(JSON.stringify({ ...good, addedLater: true }))).toMatchObject({ version: 1 });
  for (const bad of [
    'no JSON',
    { ...good, version: -1 },
    { ...good, views: [{ ...view, boxes: [[9, 47, 8, 48]] }] },
    { ...good, views: [{ ...view, boxes: [[8, 47, 9, 480]] }] },
    { ...good, views: [{ ...view, layers: ['uat'] }] },
    { ...good, at: 'now' },
  ])
    expect(parseSharedDemand(typeof bad === 'string' ? bad : JSON.stringify(bad))).toBeUndefined();
});
