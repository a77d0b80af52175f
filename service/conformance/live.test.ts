import { afterEach, describe, expect, test } from 'vitest';
import { addMs } from '#lib/time/instant.ts';
import type { AccountWithKeys } from '../accounts/access.ts';
import { fullAccessAccount } from '../server/start-service.ts';
import type { Observation } from '../sources/observation.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from './conformance-service.ts';
import { listedSource, observation } from './listed-source.ts';

let running: ConformanceService;
afterEach(() => running.service.close());

function aircraft(count: number, change: Partial<Observation> = {}): Observation[] {
  return Array.from({ length: count }, (_, index) =>
    observation({ sourceId: `aircraft-${index}`, observedAt: addMs(START, -1000), lon: 8.1 + index * 1e-4, ...change }),
  );
}

async function start(observations: readonly Observation[], accounts?: readonly AccountWithKeys[]) {
  running = await startConformanceService({
    source: listedSource(observations),
    ...(accounts ? { accounts } : {}),
  });
}

async function page(query: string, options = {}) {
  const { json } = await running.get(`live/adsb?${query}`, options);
  return { references: json.data.map((record: { public_track_id: string }) => record.public_track_id), ...json };
}

async function refresh(query: string): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const { references, next_cursor } = await page(cursor === null ? query : `${query}&cursor=${cursor}`);
    pages.push(references);
    cursor = next_cursor;
  } while (cursor !== null);
  return pages;
}

describe('States and transitions › Paging rule for live mode', () => {
  test('a refresh returns every record once, and ends with a null next_cursor', async () => {
    await start(aircraft(23));
    const pages = await refresh(`bbox=${BBOX}&limit=5`);
    expect(pages.map(({ length }) => length)).toEqual([5, 5, 5, 5, 3]);
    expect(new Set(pages.flat()).size).toBe(23);
  });

  test('next_cursor is null if the last page is exactly full', async () => {
    await start(aircraft(10));
    expect((await refresh(`bbox=${BBOX}&limit=5`)).map(({ length }) => length)).toEqual([5, 5]);
  });

  test('Query parameters › cursor: it has the form of a reference, with the letter of its layer', async () => {
    await start([...aircraft(2), ...aircraft(2, { layer: 'rid' })]);
    expect((await page(`bbox=${BBOX}&limit=1`)).next_cursor).toMatch(/^TST-A-[0-9A-F]{16}$/);
    const drones = await running.get(`live/rid?bbox=${BBOX}&limit=1`);
    expect(drones.json.next_cursor).toMatch(/^TST-D-[0-9A-F]{16}$/);
  });

  test('a cursor is a fresh handle, not a track reference', async () => {
    await start(aircraft(4));
    const first = await page(`bbox=${BBOX}&limit=2`);
    const again = await page(`bbox=${BBOX}&limit=2`);
    expect(first.next_cursor).not.toBe(again.next_cursor);
    expect((await page(`bbox=${BBOX}`)).references).not.toContain(first.next_cursor);
  });

  test('a page that was lost in transit can be requested again', async () => {
    await start(aircraft(4));
    const { next_cursor } = await page(`bbox=${BBOX}&limit=2`);
    const query = `bbox=${BBOX}&limit=2&cursor=${next_cursor}`;
    expect((await page(query)).references).toEqual((await page(query)).references);
  });

  test('another order or spelling of the same values is the same query', async () => {
    await start(aircraft(600));
    const { next_cursor } = await page(`bbox=${BBOX}`);
    const answer = await running.get(`live/adsb?cursor=${next_cursor}&limit=250&bbox=8.0,47.0,9.0,48.0`);
    expect(answer.status).toBe(200);
  });

  describe('a cursor of another query is refused with 400', () => {
    test.each([
      ['another box', 'live/adsb?bbox=8,47,9,48.5&limit=2'],
      ['another limit', `live/adsb?bbox=${BBOX}&limit=3`],
      ['the default limit', `live/adsb?bbox=${BBOX}`],
      ['the other layer', `live/rid?bbox=${BBOX}&limit=2`],
    ])('with %s', async (_what, pathAndQuery) => {
      await start([...aircraft(9), ...aircraft(9, { layer: 'rid' })]);
      const { next_cursor } = await page(`bbox=${BBOX}&limit=2`);
      const answer = await running.get(`${pathAndQuery}&cursor=${next_cursor}`);
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request']);
    });

    test('of another account', async () => {
      const allowance = { perMinute: 100, perDay: 100 };
      const mine = fullAccessAccount('my-key-0123456789012345', allowance, START);
      const yours = { ...fullAccessAccount('your-key-0123456789012345', allowance, START), id: 'yours' };
      await start(aircraft(9), [mine, yours]);
      const query = `bbox=${BBOX}&limit=2`;
      const { next_cursor } = await page(query, { authorization: 'Bearer my-key-0123456789012345' });
      const asYou = { authorization: 'Bearer your-key-0123456789012345' };
      expect((await running.get(`live/adsb?${query}&cursor=${next_cursor}`, asYou)).status).toBe(400);
    });

    test('after it expired', async () => {
      await start(aircraft(9));
      const { next_cursor } = await page(`bbox=${BBOX}&limit=2`);
      running.moveClock(5 * 60_000);
      expect((await running.get(`live/adsb?bbox=${BBOX}&limit=2&cursor=${next_cursor}`)).status).toBe(400);
    });
  });
});

describe('Live behaviour', () => {
  test('records are ordered by public track reference, over all pages', async () => {
    await start(aircraft(50));
    const references = (await refresh(`bbox=${BBOX}&limit=7`)).flat();
    expect(references).toEqual(references.toSorted());
  });

  test('limit counts records; the default is 250', async () => {
    await start(aircraft(260));
    expect((await page(`bbox=${BBOX}`)).references.length).toBe(250);
    expect((await page(`bbox=${BBOX}&limit=1000`)).references.length).toBe(260);
  });

  test('there is no hidden cap on the number of aircraft', async () => {
    await start(aircraft(3_500));
    const references = (await refresh(`bbox=${BBOX}&limit=1000`)).flat();
    expect(new Set(references).size).toBe(3_500);
  });

  test('records may expire between two pages: all those still live are returned', async () => {
    const young = aircraft(20);
    const old = aircraft(20, { observedAt: addMs(START, -59_900) }).map((record) => ({
      ...record,
      sourceId: `old-${record.sourceId}`,
    }));
    await start([...young, ...old]);
    const first = await page(`bbox=${BBOX}&limit=10`);
    running.moveClock(200);
    const rest = await page(`bbox=${BBOX}&limit=10&cursor=${first.next_cursor}`);
    running.moveClock(10_000);
    const all = [...first.references, ...rest.references];
    let cursor = rest.next_cursor;
    while (cursor !== null) {
      const next = await page(`bbox=${BBOX}&limit=10&cursor=${cursor}`);
      all.push(...next.references);
      cursor = next.next_cursor;
    }
    const alive = (await page(`bbox=${BBOX}&limit=1000`)).references;
    expect(alive.length).toBe(20);
    expect(all).toEqual(expect.arrayContaining(alive));
    expect(new Set(all).size).toBe(all.length);
  });

  test('an expired record is in no answer, not even just after a request for the same box', async () => {
    await start(aircraft(1, { observedAt: addMs(START, -59_900) }));
    expect((await page(`bbox=${BBOX}`)).references.length).toBe(1);
    running.moveClock(100);
    expect((await page(`bbox=${BBOX}`)).references.length).toBe(0);
  });

  test('only the latest position of a track is current', async () => {
    await start([
      ...aircraft(1, { observedAt: addMs(START, -9_000) }),
      ...aircraft(1, { observedAt: addMs(START, -3_000), lat: 47.9 }),
    ]);
    const { data } = await page(`bbox=${BBOX}`);
    expect(data.map(({ latitude }: { latitude: number }) => latitude)).toEqual([47.9]);
  });

  test('records outside the box are left out; its edges are inclusive', async () => {
    await start([
      observation({ sourceId: 'edge', observedAt: START, lon: 8, lat: 48 }),
      observation({ sourceId: 'outside', observedAt: START, lon: 7.9999999, lat: 48 }),
    ]);
    expect((await page(`bbox=${BBOX}`)).references.length).toBe(1);
  });

  test('layers do not mix', async () => {
    await start([...aircraft(2), ...aircraft(3, { layer: 'rid' })]);
    expect((await running.get(`live/rid?bbox=${BBOX}`)).json.data.length).toBe(3);
    expect((await running.get(`live/adsb?bbox=${BBOX}`)).json.data.length).toBe(2);
  });
});
