import { describe, expect, test } from 'vitest';
import { wireRecord } from '#lib/contract/wire-position.fixture.ts';
import { makePageReader } from './read-page.ts';

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
const read = (change: object, prefix?: string) =>
  makePageReader(prefix)(JSON.stringify({ ...envelope, ...change }), 'live', 'adsb');

describe('reading a page', () => {
  test('null means "not reported", 0 is a value, labels are kept as they are', () => {
    expect(read({})?.positions).toEqual([
      expect.objectContaining({
        altitudeM: undefined,
        speedMps: 0,
        confidence: 'never_heard_of',
        emergencyState: 'unknown',
        staleAfter: Date.UTC(2026, 10, 21, 10, 16),
      }),
    ]);
    expect(read({})?.generatedAt).toBe(Date.UTC(2026, 10, 21, 10, 15, 1));
  });

  test('an invalid record is dropped and counted, and the page is kept', () => {
    const page = read({ data: [null, 7, {}, record, { ...record, latitude: 91 }, { ...record, simulated: 'no' }] });
    expect(page).toMatchObject({ positions: [{ ref: record.public_track_id }], unreadable: 5 });
  });

  test.each([
    ['HTML', '<html>busy</html>'],
    ['cut JSON', JSON.stringify(envelope).slice(0, -10)],
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['an error body', '{"error":{"code":"x","message":"y"},"request_id":"r"}'],
  ])('a body of %s is not a page, not even an empty one', (_, body) => {
    expect(makePageReader(undefined)(body, 'live', 'adsb')).toBeUndefined();
  });

  test('the answer to another request is not a page', () => {
    expect(read({ layer: 'rid' })).toBeUndefined();
    expect(read({ mode: 'history' })).toBeUndefined();
  });

  test('a cursor is kept verbatim; one that breaks the contract is not followed, and is reported', () => {
    const cursor = 'RX-A-FFFFFFFFFFFFFFFF';
    expect(read({ next_cursor: cursor })).toMatchObject({ nextCursor: cursor, cursorUnusable: false });
    for (const bad of ['', 'next', `${cursor}&limit=1`]) {
      expect(read({ next_cursor: bad })).toMatchObject({ nextCursor: undefined, cursorUnusable: true });
    }
  });

  test('where the prefix is known, references and cursors with another prefix are rejected', () => {
    const page = read({ next_cursor: 'RY-A-FFFFFFFFFFFFFFFF' }, 'RY');
    expect(page).toMatchObject({ positions: [], unreadable: 1, nextCursor: 'RY-A-FFFFFFFFFFFFFFFF' });
  });
});
