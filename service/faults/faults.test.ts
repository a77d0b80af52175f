import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addMs, epochMs, formatInstant } from '#lib/time/instant.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from '../conformance/conformance-service.ts';
import { listedSource, observation } from '../conformance/listed-source.ts';

let running: ConformanceService;
beforeEach(async () => {
  const observedAt = addMs(START, -1000);
  running = await startConformanceService({
    control: true,
    source: listedSource(
      Array.from({ length: 6 }, (_, index) => observation({ sourceId: `${index}`, observedAt, lon: 8.1 + index / 10 })),
    ),
  });
});
afterEach(() => running.service.close());

const QUERY = `bbox=${BBOX}&limit=2`;
const LIVE = `live/adsb?${QUERY}`;

function control(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(running.service.controlUrl + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe('faults in place of an answer', () => {
  test.each([
    [401, null],
    [403, null],
    [429, '7'],
    [429, 'abc'],
    [429, null],
    [503, 'Wed, 21 Nov 2026 12:00:00 GMT'],
  ])('status %i with Retry-After %s', async (status, retryAfter) => {
    running.service.setFault({ kind: 'status', status, retry_after: retryAfter });
    const answer = await running.get(LIVE);
    expect(answer.status).toBe(status);
    expect(answer.headers['retry-after'] ?? null).toBe(retryAfter);
    expect(answer.json.request_id).toBe(answer.headers['x-request-id']);
  });

  test('403 as HTML, as an edge writes it: no error body, no request id', async () => {
    running.service.setFault({ kind: 'status', status: 403, as: 'html' });
    const answer = await running.get(LIVE);
    expect([answer.status, answer.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(answer.headers).not.toHaveProperty('x-request-id');
    expect(answer.text).toContain('<h1>403 Forbidden</h1>');
  });

  test('they consume no allowance', async () => {
    running.service.setFault({ kind: 'status', status: 503 });
    await running.get(LIVE);
    running.service.clearFault();
    expect((await running.get(LIVE)).headers['x-ratelimit-remaining']).toBe('599');
  });

  test('html: 200 with a page of HTML', async () => {
    running.service.setFault({ kind: 'html' });
    const answer = await running.get(LIVE);
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^<!doctype html>/);
  });

  test('redirect: 302 to the given location', async () => {
    running.service.setFault({ kind: 'redirect', location: 'http://elsewhere.invalid/v1/live/adsb' });
    const answer = await running.get(LIVE);
    expect([answer.status, answer.headers.location]).toEqual([302, 'http://elsewhere.invalid/v1/live/adsb']);
  });

  test.each([64, 100_000, 3_000_001])('huge: valid JSON of exactly %i bytes without a length', async (bytes) => {
    running.service.setFault({ kind: 'huge', bytes });
    const answer = await running.get(LIVE);
    expect(answer.text.length).toBe(bytes);
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.json).toHaveProperty('padding');
  });

  test('silent: no answer until the client disconnects, and closing the service does not wait for it', async () => {
    running.service.setFault({ kind: 'silent' });
    const answer = running.get(LIVE).catch((failure: Error) => failure.message);
    await expect.poll(() => running.service.requests().length).toBe(1);
    await running.service.close();
    expect(await answer).toBe('socket hang up');
  });
});

describe('faults of the answer itself', () => {
  test('cut_json: a complete answer that is not JSON', async () => {
    running.service.setFault({ kind: 'cut_json' });
    const answer = await running.get(LIVE);
    expect(answer.status).toBe(200);
    expect(answer.text.length).toBe(Number(answer.headers['content-length']));
    expect(() => answer.json).toThrow(SyntaxError);
  });

  test('reset: the connection ends within the body', async () => {
    running.service.setFault({ kind: 'reset' });
    await expect(running.get(LIVE)).rejects.toThrow(/aborted|ECONNRESET/);
  });

  test('slow: the answer comes no sooner than set, and is complete', async () => {
    running.service.setFault({ kind: 'slow', delay_ms: 60 });
    const sentAt = performance.now();
    const answer = await running.get(LIVE);
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(55);
    expect(answer.json.data.length).toBe(2);
  });

  test('hold: the answer waits until the fault is replaced or cleared', async () => {
    running.service.setFault({ kind: 'hold' });
    const answered: string[] = [];
    const get = (name: string) => running.get(LIVE).then(({ json }) => answered.push(`${name} ${json.data.length}`));
    const held = get('held');
    await expect.poll(() => running.service.requests().length).toBe(1);
    running.service.setFault({ kind: 'hold', operation: 'live_adsb' });
    await held;
    const heldAgain = get('held again');
    await running.get(`live/rid?${QUERY}`);
    expect(answered).toEqual(['held 2']);
    running.service.clearFault();
    await heldAgain;
    expect(answered).toEqual(['held 2', 'held again 2']);
  });

  test('hold: closing the service does not wait for it', async () => {
    running.service.setFault({ kind: 'hold' });
    const answer = running.get(LIVE).catch((failure: Error) => failure.message);
    await expect.poll(() => running.service.requests().length).toBe(1);
    await running.service.close();
    expect(await answer).toBe('socket hang up');
  });

  test('drip: one byte at a time, and complete in the end', async () => {
    running.service.setFault({ kind: 'drip', interval_ms: 1 });
    const sentAt = performance.now();
    const answer = await running.get('live/adsb?bbox=nonsense');
    expect(performance.now() - sentAt).toBeGreaterThanOrEqual(answer.text.length);
    expect(answer.json.error.code).toBe('invalid_request');
  });

  test('bad_record: one record breaks the contract, the others are valid', async () => {
    running.service.setFault({ kind: 'bad_record' });
    const { data } = (await running.get(LIVE)).json;
    expect(data.map(({ latitude }: { latitude: unknown }) => typeof latitude)).toEqual(['string', 'number']);
  });

  test('no_headers: both allowance headers are missing, the request id is present', async () => {
    running.service.setFault({ kind: 'no_headers' });
    const { headers } = await running.get(LIVE);
    expect(headers).not.toHaveProperty('x-ratelimit-remaining');
    expect(headers).not.toHaveProperty('x-dailylimit-remaining');
    expect(headers).toHaveProperty('x-request-id');
  });

  test('wrong_layer: the envelope names the other layer', async () => {
    running.service.setFault({ kind: 'wrong_layer' });
    expect((await running.get(LIVE)).json.layer).toBe('rid');
  });

  test.each([3_600_000, -3_600_000])(
    'clock_offset_ms %i: every time in the answer is shifted, the records are the same',
    async (offset) => {
      const right = (await running.get(LIVE)).json;
      running.service.setFault({ kind: 'clock_offset_ms', offset_ms: offset });
      const wrong = (await running.get(LIVE)).json;
      const shifted = (text: string) => formatInstant(addMs(START, Date.parse(text) - epochMs(START) + offset));
      expect(wrong.generated_at).toBe(shifted(right.generated_at));
      expect(wrong.data[0].observed_at).toBe(shifted(right.data[0].observed_at));
      expect(wrong.data[0].stale_after).toBe(shifted(right.data[0].stale_after));
      expect(wrong.data.length).toBe(right.data.length);
    },
  );

  test('clock_offset_ms: the shifted clock decides what is in the future', async () => {
    const future = `history/adsb?bbox=${BBOX}&start=${formatInstant(addMs(START, 3_590_000))}&end=${formatInstant(addMs(START, 3_600_000))}`;
    expect((await running.get(future)).status).toBe(400);
    running.service.setFault({ kind: 'clock_offset_ms', offset_ms: 3_600_000 });
    expect((await running.get(future)).json.data.length).toBe(6);
  });
});

describe('faults of paging', () => {
  async function cursors(count: number): Promise<(string | null)[]> {
    const seen: (string | null)[] = [];
    for (let cursor: string | null = null; seen.length < count; ) {
      const answer = await running.get(cursor === null ? LIVE : `${LIVE}&cursor=${cursor}`);
      expect(answer.status).toBe(200);
      cursor = answer.json.next_cursor;
      seen.push(cursor);
    }
    return seen;
  }

  test('endless_cursor: always another cursor of the right form', async () => {
    running.service.setFault({ kind: 'endless_cursor' });
    const seen = await cursors(12);
    expect(new Set(seen).size).toBe(12);
    for (const cursor of seen) expect(cursor).toMatch(/^TST-A-[0-9A-F]{16}$/);
  });

  test('repeat_cursor: always the same cursor', async () => {
    running.service.setFault({ kind: 'repeat_cursor' });
    expect(new Set(await cursors(5)).size).toBe(1);
  });

  test('cursor_refused: the first page is valid, its cursor gets a 400', async () => {
    running.service.setFault({ kind: 'cursor_refused' });
    const first = await running.get(LIVE);
    expect(first.status).toBe(200);
    const second = await running.get(`live/adsb?cursor=${first.json.next_cursor}&${QUERY}`);
    expect([second.status, second.json.error.code]).toEqual([400, 'invalid_request']);
  });

  test('fail_after_page: the first page is valid, its cursor gets a 503', async () => {
    running.service.setFault({ kind: 'fail_after_page', retry_after: '3' });
    const first = await running.get(LIVE);
    expect(first.status).toBe(200);
    const second = await running.get(`${LIVE}&cursor=${first.json.next_cursor}`);
    expect([second.status, second.headers['retry-after']]).toEqual([503, '3']);
  });
});

describe('which requests a fault affects', () => {
  test('it affects the named operation and no other', async () => {
    running.service.setFault({ kind: 'status', status: 503, operation: 'live_rid' });
    expect((await running.get(`live/rid?${QUERY}`)).status).toBe(503);
    expect((await running.get(LIVE)).status).toBe(200);
  });

  test('times: it ends after that many requests', async () => {
    running.service.setFault({ kind: 'status', status: 503, times: 2 });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await running.get(LIVE)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  test('a new fault replaces the old one', async () => {
    running.service.setFault({ kind: 'status', status: 503 });
    running.service.setFault({ kind: 'status', status: 429 });
    expect((await running.get(LIVE)).status).toBe(429);
  });
});

describe('control listener', () => {
  test('PUT sets a fault, DELETE clears it', async () => {
    const set = await control('PUT', '/fault', {
      kind: 'status',
      status: 503,
      retry_after: '7',
      operation: 'live_adsb',
    });
    expect(set.status).toBe(200);
    expect((await running.get(LIVE)).headers['retry-after']).toBe('7');
    expect((await control('DELETE', '/fault')).status).toBe(204);
    expect((await running.get(LIVE)).status).toBe(200);
  });

  test.each([
    { kind: 'echo_key' },
    { kind: 'status' },
    { kind: 'slow', delay_ms: -1 },
    { kind: 'html', operation: 'live_uat' },
    { kind: 'html', also: 1 },
    'html',
    null,
  ])('an invalid fault is refused and changes nothing: %j', async (setting) => {
    const answer = await control('PUT', '/fault', setting);
    expect(answer.status).toBe(400);
    expect((await running.get(LIVE)).status).toBe(200);
  });

  test('GET lists the data requests, without the key even if it was in the query; DELETE clears them', async () => {
    const key = running.service.apiKey;
    await running.get(LIVE);
    await running.get(`history/rid?bbox=${BBOX}&key=${key}&${key}`, { authorization: null });
    await running.get(`live/rid?${QUERY}`, { method: 'POST' });
    await running.get('live/unknown');
    const text = await (await control('GET', '/requests')).text();
    const received_at = formatInstant(START);
    expect(JSON.parse(text)).toEqual([
      { received_at, operation: 'live_adsb', method: 'GET', query: QUERY, had_authorization: true },
      { received_at, operation: 'history_rid', method: 'GET', query: `bbox=${BBOX}&…&…`, had_authorization: false },
      { received_at, operation: 'live_rid', method: 'POST', query: QUERY, had_authorization: true },
    ]);
    expect(text).not.toContain(key);
    expect((await control('DELETE', '/requests')).status).toBe(204);
    expect(await (await control('GET', '/requests')).json()).toEqual([]);
  });

  test('it listens on loopback, on a separate port', () => {
    const url = new URL(running.service.controlUrl ?? '');
    expect(url.hostname).toBe('127.0.0.1');
    expect(url.port).not.toBe(new URL(running.service.baseUrl).port);
  });

  test('without control there is no listener', async () => {
    const plain = await startConformanceService();
    expect(plain.service.controlUrl).toBeUndefined();
    await plain.service.close();
  });
});
