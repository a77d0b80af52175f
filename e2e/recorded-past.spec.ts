import type { APIRequestContext } from '@playwright/test';
import { type EndLine, historyLineSchema } from '#lib/api/history-line.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { expectRefusal } from './driver/api-answers.ts';
import { expect, test } from './lookout-test.ts';

/** Aligned to five minutes. */
function alignedWindow(minutes: number): string {
  const endMs = Math.floor((Date.now() - 2 * MINUTE_MS) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
  const [start, end] = [endMs - minutes * MINUTE_MS, endMs].map((ms) => new Date(ms).toISOString());
  return `start=${start}&end=${end}`;
}

async function linesOf(request: APIRequestContext, address: string) {
  const answer = await request.get(address, { headers: { accept: 'application/x-ndjson' } });
  expect(answer.status()).toBe(200);
  expect(answer.headers()['content-type']).toBe('application/x-ndjson');
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => historyLineSchema.parse(JSON.parse(line)));
  return { lines, end: lines.at(-1) as EndLine };
}

test('A script reads the past as lines of JSON: every record once, none missing, and for free the second time', async ({
  request,
  startOwn,
}) => {
  const lookout = await startOwn();
  const query = `bbox=7,46,9,48&layers=adsb&${alignedWindow(5)}`;
  const { lines, end } = await linesOf(request, `${lookout.url}/api/history?${query}`);
  const spent = (await lookout.service.requests()).length;
  const records = lines.flatMap((line) => (line.type === 'part' ? line.records : []));
  expect(records.length).toBeGreaterThan(100);
  expect(end.layers.adsb).toMatchObject({ complete: true, gaps: [], records: records.length, requests: spent });
  expect(new Set(records.map((record) => `${record.public_track_id} ${record.observed_at}`)).size).toBe(records.length);

  await test.step('Parts that were loaded before cost no upstream requests, and the price says so', async () => {
    const cost = await (await request.get(`${lookout.url}/api/history/cost?${query}`)).json();
    expect(cost.middle).toMatchObject({ expected: 0, max_requests: 0 });
    const again = await linesOf(request, `${lookout.url}/api/history?${query}`);
    expect(again.end.layers.adsb).toEqual({ ...end.layers.adsb, requests: 0 });
    expect((await lookout.service.requests()).length).toBe(spent);
  });
});

test('A window that no history covers is refused, and so is a window or box that is too large', async ({
  request,
  sharedLookout,
}) => {
  const load = (query: string) => request.get(`${sharedLookout.url}/api/history?${query}`);
  const area = 'bbox=7,46,9,48';
  await expectRefusal(
    await load(`${area}&start=2020-01-01T00:00:00Z&end=2020-01-01T00:10:00Z`),
    403,
    'outside_lookback',
  );
  await expectRefusal(await load(`${area}&${alignedWindow(25 * 60)}`), 400, 'bad_query');
  await expectRefusal(await load(`bbox=0,40,20,60&${alignedWindow(5)}`), 400, 'bad_query');
  await expectRefusal(await load(`${area}&start=yesterday&end=today`), 400, 'bad_query');
});
