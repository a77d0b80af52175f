import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Layer } from '#lib/model/position.ts';
import { HOUR_MS, MINUTE_MS } from '#lib/time/time-units.ts';
import { type LiveHarness, startLiveHarness } from '#testing/live-harness.ts';

let live: LiveHarness;
beforeEach(async () => {
  live = await startLiveHarness();
});
afterEach(() => live.close());

const LAYERS: readonly Layer[] = ['rid', 'adsb'];
/** Still often enough to be a viewer. */
const SLOWLY_MS = 20_000;
const ELSEWHERE = { west: 60, south: 10, east: 61, north: 11 };

/** One answer is wrong: the account has plenty left. */
async function blackOut(perDay: string): Promise<void> {
  await live.read();
  live.moveClock(5000);
  live.service.setFault({ kind: 'allowance', per_day: perDay });
  await live.read();
  live.moveClock(5000);
  await live.read();
  live.service.clearRequests();
}

const reasons = async (view?: typeof ELSEWHERE) => {
  const { layers } = await live.read(view, LAYERS, {
    operator: 'local',
    session: undefined,
    page: view ? 'new' : 'only',
  });
  return LAYERS.map((layer) => [layers[layer]?.state, layers[layer]?.reason]);
};
const LIMITED = [
  ['limited', 'allowance_used_up'],
  ['limited', 'allowance_used_up'],
];

describe.each(['0', '1'])('a header that says %s requests are left of the day', (perDay) => {
  beforeEach(() => blackOut(perDay));

  test('is the reason of planned areas, from the first poll on and as long as it lasts', async () => {
    expect(await reasons()).toEqual(LIMITED);
    for (let minute = 0; minute < 10; minute++) {
      await live.poll(MINUTE_MS);
      expect(await reasons()).toEqual(LIMITED);
    }
  });

  test('is the reason of a new place, which waits for no turn', async () => {
    const { layers } = await live.read(ELSEWHERE, LAYERS, { operator: 'other', session: undefined, page: 'new' });
    for (const layer of LAYERS) {
      expect(layers[layer]).toMatchObject({ state: 'limited', reason: 'allowance_used_up', records: [] });
      expect(layers[layer]?.gaps.map(({ reason }) => reason)).toEqual(['allowance_used_up']);
    }
  });

  test('is the reason of both layers in the status, with the time of the next check', async () => {
    const { layers, used_up_until } = await live.status.read();
    expect(LAYERS.map((layer) => [layers[layer].state, layers[layer].reason])).toEqual([
      ['failing', 'allowance_used_up'],
      ['failing', 'allowance_used_up'],
    ]);
    expect(Date.parse(used_up_until ?? '') - Date.parse((await live.status.read()).as_of)).toBeLessThanOrEqual(HOUR_MS);
  });

  test('is checked by one request an hour, and ends with the check that finds more', async () => {
    await live.poll(59 * MINUTE_MS, SLOWLY_MS);
    expect(live.service.requests()).toHaveLength(0);
    await live.poll(2 * MINUTE_MS, SLOWLY_MS);
    expect(live.service.requests()).toHaveLength(1);
    await live.poll(HOUR_MS, SLOWLY_MS);
    expect(live.service.requests()).toHaveLength(2);
    live.service.clearFault();
    await live.poll(HOUR_MS, SLOWLY_MS);
    expect(await reasons()).toEqual([
      ['fresh', null],
      ['fresh', null],
    ]);
    expect((await live.status.read()).used_up_until).toBeNull();
  });

  test('is checked by one request an hour where all places are new ones', async () => {
    live.moveClock(2 * MINUTE_MS);
    const poll = async (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += SLOWLY_MS) {
        await reasons(ELSEWHERE);
        live.moveClock(SLOWLY_MS);
      }
    };
    await poll(HOUR_MS);
    expect(live.service.requests()).toHaveLength(1);
    live.service.clearFault();
    await poll(HOUR_MS);
    expect(await reasons(ELSEWHERE)).toEqual([
      ['fresh', null],
      ['fresh', null],
    ]);
  });

  test('is checked at once when an admin has the account checked, once a minute at most', async () => {
    live.service.clearFault();
    expect(await live.status.checkAccount()).toBe(0);
    await live.read();
    await live.read();
    expect(await reasons()).toEqual([
      ['fresh', null],
      ['fresh', null],
    ]);
    expect(await live.status.checkAccount()).toBeGreaterThan(0);
  });
});

describe('a key that was refused', () => {
  test('is tried by one request an hour, and by one at once when an admin has the account checked', async () => {
    live.service.setFault({ kind: 'status', status: 401 });
    await live.poll(3 * HOUR_MS - MINUTE_MS, SLOWLY_MS);
    expect(live.service.requests()).toHaveLength(3);
    const { key_refused } = await live.status.read();
    expect(key_refused).toBe(true);
    live.service.clearFault();
    await live.status.checkAccount();
    await live.read();
    await live.read();
    expect(await reasons()).toEqual([
      ['fresh', null],
      ['fresh', null],
    ]);
    expect((await live.status.read()).key_refused).toBe(false);
  });
});
