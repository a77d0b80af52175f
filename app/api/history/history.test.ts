import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndLine, historyLineSchema } from '#lib/api/history-line.ts';
import { ask, expectRefusal } from '#testing/api-requests.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { alignedWindow } from '#testing/past-window.ts';

function linesOf(text: string) {
  const lines = text
    .trim()
    .split('\n')
    .map((line) => historyLineSchema.parse(JSON.parse(line)));
  return { lines, end: lines.at(-1) as EndLine };
}

describe('Without sign-in', () => {
  const area = 'bbox=7,46,9,48';
  let lookout: LookoutHere;
  beforeAll(async () => {
    lookout = await startLookoutHere();
  });
  afterAll(() => lookout.stop());

  const load = (query: string) =>
    ask(`${lookout.url}/api/history?${query}`, { headers: { accept: 'application/x-ndjson' } });

  test('A script reads the past as lines of JSON: every record once, none missing, and for free the second time', async () => {
    const query = `${area}&layers=adsb&${alignedWindow(5)}`;
    const answer = await load(query);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const { lines, end } = linesOf(answer.text);
    const spent = lookout.service.requests().length;
    const records = lines.flatMap((line) => (line.type === 'part' ? line.records : []));
    expect(records.length).toBeGreaterThan(100);
    expect(end.layers.adsb).toMatchObject({ complete: true, gaps: [], records: records.length, requests: spent });
    const keys = records.map((record) => `${record.public_track_id} ${record.observed_at}`);
    expect(new Set(keys).size).toBe(records.length);

    // Parts that were loaded before cost no upstream requests, and the price says so.
    const cost = (await ask(`${lookout.url}/api/history/cost?${query}`)).json();
    expect(cost.middle).toMatchObject({ expected: 0, max_requests: 0 });
    const again = linesOf((await load(query)).text);
    expect(again.end.layers.adsb).toEqual({ ...end.layers.adsb, requests: 0 });
    expect(lookout.service.requests()).toHaveLength(spent);
  });

  test('A window that no history covers is refused, and so is a window or box that is too large', async () => {
    const past = 'start=2020-01-01T00:00:00Z&end=2020-01-01T00:10:00Z';
    expectRefusal(await load(`${area}&${past}`), 403, 'outside_lookback');
    expectRefusal(await load(`${area}&${alignedWindow(25 * 60)}`), 400, 'bad_query');
    expectRefusal(await load(`bbox=0,40,20,60&${alignedWindow(5)}`), 400, 'bad_query');
    expectRefusal(await load(`${area}&start=yesterday&end=today`), 400, 'bad_query');
  });

  test('Only this machine’s own host names are answered, against DNS rebinding', async () => {
    const live = (host: string) => ask(`${lookout.url}/api/live?bbox=5,45,11,48&layers=rid`, { headers: { host } });
    expect((await live('evil.example')).status).toBe(401);
    expect((await live('localhost')).status).toBe(200);
  });
});

test('A viewer loads the past where that uses up no allowance', async () => {
  const lookout = await startLookoutHere({
    operators: ['tower', 'wall'],
    roles: { wall: 'viewer' },
    settings: { POSITIONS_EMBEDDED: '1', POSITIONS_ALLOWANCE: 'none' },
  });
  try {
    const headers = { cookie: await lookout.signIn('wall') };
    const query = `bbox=7,46,8,47&layers=adsb&${alignedWindow(5)}`;
    const cost = (await ask(`${lookout.url}/api/history/cost?${query}`, { headers })).json();
    expect(cost).toMatchObject({ has_allowance: false });
    expect(cost.middle.max_requests).toBeGreaterThan(0);
    const { end } = linesOf((await ask(`${lookout.url}/api/history?${query}`, { headers })).text);
    expect(end.layers.adsb).toMatchObject({ complete: true });
  } finally {
    await lookout.stop();
  }
});

test('A viewer is given what is loaded of the past, and spends nothing on the rest', async () => {
  const lookout = await startLookoutHere({ operators: ['tower', 'wall'], roles: { wall: 'viewer' } });
  try {
    const [tower, wall] = [await lookout.signIn('tower'), await lookout.signIn('wall')];
    const query = `bbox=7,46,8,47&layers=adsb&${alignedWindow(5)}`;
    const askAs = (cookie: string, path: string) => ask(`${lookout.url}/api/${path}${query}`, { headers: { cookie } });
    const load = async (cookie: string) => {
      const { end } = linesOf((await askAs(cookie, 'history?')).text);
      expect(end.type).toBe('end');
      return end.layers.adsb;
    };
    const missing = { complete: false, requests: 0, gaps: [{ reason: 'not_requested' }] };
    expect(await load(wall)).toMatchObject(missing);
    await askAs(wall, 'export?format=csv&');
    expect((await askAs(wall, 'history/cost?')).json().middle).toMatchObject({ max_requests: 0 });
    expect(lookout.service.requests()).toEqual([]);

    const loaded = await load(tower);
    expect(loaded).toMatchObject({ complete: true });
    const spent = lookout.service.requests().length;
    expect(spent).toBeGreaterThan(0);
    expect(await load(wall)).toEqual({ ...loaded, requests: 0 });
    expect(lookout.service.requests()).toHaveLength(spent);
  } finally {
    await lookout.stop();
  }
});
