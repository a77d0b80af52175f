import { describe, expect, test } from 'vitest';
import { wireRecord } from '#lib/contract/wire-position.fixture.ts';
import { cpuMsUntil } from '#testing/cpu-ms.ts';
import { PageReader } from './read-page.ts';

const record = { ...wireRecord, speed_mps: 0, confidence: 'never_heard_of', emergency_state: 'unknown' };
const envelope = {
  version: '1',
  request_id: 'r1',
  generated_at: '2026-11-21T11:15:01+01:00',
  layer: 'adsb',
  mode: 'live',
  data: [record],
  next_cursor: null,
  truncated: false,
};
const readBody = async (body: string, prefix?: string) => {
  const reader = new PageReader(prefix);
  const read = await reader.read(Buffer.from(body), { mode: 'live', layer: 'adsb', limit: 1000 });
  await reader.close();
  return read;
};
const read = async (change: object, prefix?: string) => {
  const page = await readBody(JSON.stringify({ ...envelope, ...change }), prefix);
  return page.kind === 'page' ? page.page : page.reason;
};

describe('reading a page', () => {
  test('null means "not reported", 0 is a value, labels are kept as they are', async () => {
    expect(await read({})).toMatchObject({
      positions: [
        {
          altitudeM: undefined,
          speedMps: 0,
          confidence: 'never_heard_of',
          emergencyState: 'unknown',
          staleAfter: Date.UTC(2026, 10, 21, 10, 16),
        },
      ],
      generatedAt: Date.UTC(2026, 10, 21, 10, 15, 1),
    });
  });

  test('drops and counts an invalid record, and keeps the page', async () => {
    const page = await read({
      data: [null, 7, {}, record, { ...record, latitude: 91 }, { ...record, simulated: 'no' }],
    });
    expect(page).toMatchObject({
      positions: [{ ref: record.public_track_id }],
      unreadable: 5,
      isUnreadable: false,
    });
  });

  test('tells a page of invalid records from an empty one', async () => {
    expect(await read({ data: [{}, 7] })).toMatchObject({ positions: [], unreadable: 2, isUnreadable: true });
    expect(await read({ data: [] })).toMatchObject({ positions: [], unreadable: 0, isUnreadable: false });
  });

  test.each(['', '=1+1', '-2', '@SUM(A1)', '\tsingle', 'single\u202E', '\u200Bsingle', 'a b', 'x'.repeat(65)])(
    'the label %j is not reported, and is counted; its record stays',
    async (label) => {
      expect(await read({ data: [record, { ...record, confidence: label, emergency_state: label }] })).toMatchObject({
        unreadable: 0,
        unreadableValues: 2,
        positions: [
          { confidence: 'never_heard_of', emergencyState: 'unknown' },
          { confidence: undefined, emergencyState: undefined, speedMps: 0 },
        ],
      });
    },
  );

  test.each([
    ['HTML', '<html>busy</html>', 'service_unreachable'],
    ['nothing', '', 'service_unreachable'],
    ['null', 'null', 'service_unreachable'],
    ['a list', '[]', 'service_unreachable'],
    ['JSON of another API', '{"data":[],"meta":{}}', 'service_unreachable'],
    ['an error body', '{"error":{"code":"x","message":"y"},"request_id":"r"}', 'service_unreachable'],
    ['cut JSON', JSON.stringify(envelope).slice(0, -10), 'answer_unreadable'],
    ['another version', JSON.stringify({ ...envelope, version: '2' }), 'answer_unreadable'],
  ])('a body of %s is not a page, not even an empty one', async (_, body, reason) => {
    expect(await readBody(body)).toEqual({ kind: 'unusable', reason });
  });

  test('the answer to another request is not a page', async () => {
    expect(await read({ layer: 'rid' })).toBe('answer_unreadable');
    expect(await read({ mode: 'history' })).toBe('answer_unreadable');
  });

  test('keeps a cursor verbatim; one that breaks the contract is not followed, and is reported', async () => {
    const cursor = 'RX-A-FFFFFFFFFFFFFFFF';
    expect(await read({ next_cursor: cursor })).toMatchObject({ nextCursor: cursor, cursorUnusable: false });
    for (const bad of ['', 'next', `${cursor}&limit=1`]) {
      expect(await read({ next_cursor: bad })).toMatchObject({ nextCursor: undefined, cursorUnusable: true });
    }
  });

  test('where the prefix is known, references and cursors with another prefix are rejected', async () => {
    const page = await read({ next_cursor: 'RY-A-FFFFFFFFFFFFFFFF' }, 'RY');
    expect(page).toMatchObject({ positions: [], unreadable: 1, nextCursor: 'RY-A-FFFFFFFFFFFFFFFF' });
  });
});

describe('large bodies', () => {
  const padded = (rows: readonly object[], padding: unknown) => JSON.stringify({ ...envelope, data: rows, padding });
  const rows = Array.from({ length: 1000 }, () => record);

  test('are read as small ones are', async () => {
    const large = await readBody(padded(rows, 'x'.repeat(5_000_000)));
    expect(large).toMatchObject({ page: { positions: { length: 1000 }, unreadable: 0, requestId: 'r1' } });
    expect(await readBody(JSON.stringify({ ...envelope, layer: 'rid', padding: ' '.repeat(100_000) }))).toEqual({
      kind: 'unusable',
      reason: 'answer_unreadable',
    });
    expect(await readBody(`<html>${' '.repeat(100_000)}`)).toMatchObject({ reason: 'service_unreachable' });
  });

  test('with more records than were requested are too large, whatever the records are', async () => {
    for (const data of [[...rows, record], Array(1001).fill({}), Array(1_000_000).fill(0)])
      expect(await read({ data })).toBe('answer_too_large');
  });

  test('with long texts in fields of the contract are too large', async () => {
    expect(await read({ data: [{ ...record, confidence: 'x'.repeat(2_000_000) }] })).toBe('answer_too_large');
  });

  test('of more values than any page has are too large, and the next one is read', async () => {
    const reader = new PageReader(undefined);
    const request = { mode: 'live', layer: 'adsb', limit: 1000 } as const;
    const brackets = Buffer.from(`{"data":[${'{},'.repeat(10_000_000)}{}]}`);
    expect(await reader.read(brackets, request)).toEqual({ kind: 'unusable', reason: 'answer_too_large' });
    const next = await reader.read(Buffer.from(padded([record], 'x'.repeat(100_000))), request);
    expect(next).toMatchObject({ page: { unreadable: 0 } });
    await reader.close();
  });

  test('take no time of the thread that answers others', async () => {
    const reader = new PageReader(undefined);
    const nested = Buffer.from(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`);
    const ms = await cpuMsUntil(() => reader.read(nested, { mode: 'live', layer: 'adsb', limit: 1000 }));
    expect(ms).toBeLessThan(100);
    await reader.close();
  });
});
