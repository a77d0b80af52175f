import { beforeEach, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/model/position.ts';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { Demand, VIEWER_KEPT_MS } from './demand.ts';

const start = localInstant(Date.UTC(2026, 10, 21, 12));
const zurich = { west: 8, south: 47, east: 9, north: 48 };
const geneva = { west: 6, south: 46, east: 7, north: 47 };

let demand: Demand;
beforeEach(() => {
  demand = new Demand();
});
const views = (layer: Layer) =>
  demand
    .viewports(layer)
    .map(({ bbox, views }) => ({ bbox, viewers: views.values().reduce((sum, each) => sum + each, 0) }));
const local = (page: string) => ({ operator: 'local', session: undefined, page });

describe('Demand', () => {
  test('lists a box with many viewers once, with their number', () => {
    for (const page of ['a', 'b', 'c']) demand.polled(local(page), [zurich], ['rid', 'adsb'], start);
    demand.polled(local('d'), [geneva], ['adsb'], start);
    expect(views('adsb')).toEqual([
      { bbox: zurich, viewers: 3 },
      { bbox: geneva, viewers: 1 },
    ]);
    expect(views('rid')).toEqual([{ bbox: zurich, viewers: 3 }]);
    expect(demand.viewers).toBe(4);
  });

  test('counts a page that moves at its new place alone', () => {
    demand.polled(local('a'), [zurich], ['adsb'], start);
    demand.polled(local('a'), [geneva], ['adsb'], start);
    expect(views('adsb')).toEqual([{ bbox: geneva, viewers: 1 }]);
  });

  test('forgets a viewer after a minute of silence, unless it polls again', () => {
    demand.polled(local('silent'), [zurich], ['adsb'], start);
    demand.polled(local('polled'), [geneva], ['adsb'], start);
    demand.polled(local('polled'), [geneva], ['adsb'], addMs(start, VIEWER_KEPT_MS - 1));
    demand.forgetSilent(addMs(start, VIEWER_KEPT_MS - 1));
    expect(demand.viewers).toBe(2);
    demand.forgetSilent(addMs(start, VIEWER_KEPT_MS));
    expect(views('adsb')).toEqual([{ bbox: geneva, viewers: 1 }]);
  });

  test('changes its version exactly when the demand changes', () => {
    const versions = new Set([demand.version]);
    demand.polled(local('a'), [zurich], ['adsb'], start);
    versions.add(demand.version);
    demand.polled(local('a'), [{ ...zurich }], ['adsb'], addMs(start, 5000));
    versions.add(demand.version);
    demand.polled(local('a'), [zurich], ['adsb', 'rid'], addMs(start, 6000));
    versions.add(demand.version);
    demand.forgetSilent(addMs(start, 60 * 60_000));
    versions.add(demand.version);
    expect(versions.size).toBe(4);
  });

  test('keeps at most 32 views per session, and drops that session’s longest silent view', () => {
    demand.polled({ operator: 'other', session: 'other', page: 'p' }, [geneva], ['adsb'], start);
    for (let page = 0; page < 40; page++) {
      demand.polled({ operator: 'greedy', session: 'greedy', page: `${page}` }, [zurich], ['adsb'], addMs(start, page));
      demand.polled({ operator: 'greedy', session: 'greedy', page: '0' }, [zurich], ['rid'], addMs(start, page));
    }
    expect(demand.viewers).toBe(33);
    expect(views('rid')).toEqual([{ bbox: zurich, viewers: 1 }]);
    expect(views('adsb')).toEqual([
      { bbox: geneva, viewers: 1 },
      { bbox: zurich, viewers: 31 },
    ]);
  });
});
