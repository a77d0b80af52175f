import { describe, expect, test } from 'vitest';
import { addMs, formatInstant, type UpstreamInstant, upstreamInstant } from '../time/instant.ts';
import { HISTORY_MAX_AGE_MS, HISTORY_MAX_WINDOW_MS } from './limits.ts';
import { upstreamHistoryQuery, upstreamLiveQuery } from './query.ts';

const now = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const cursor = 'RX-A-0123456789ABCDEF';

const liveIssues = (query: unknown) => upstreamLiveQuery('RX').safeParse(query).error?.issues.length ?? 0;

function windowIssues(start: UpstreamInstant, end: UpstreamInstant, bbox = '8,47,9,48'): readonly string[] {
  const query = { bbox, start: formatInstant(start), end: formatInstant(end) };
  return (
    upstreamHistoryQuery(now)
      .safeParse(query)
      .error?.issues.map(({ message }) => message) ?? []
  );
}

describe('a live query', () => {
  test('defaults to a limit of 250 records', () => {
    expect(upstreamLiveQuery('RX').parse({ bbox: '8,47,9,48' }).limit).toBe(250);
  });

  test.each(['0', '1001', '1.5', '1e2', '-1', '+5', ' 5', '', '9'.repeat(400)])('refuses limit=%s', (limit) => {
    expect(liveIssues({ bbox: '8,47,9,48', limit })).toBe(1);
  });

  test('accepts limits of 1 and 1000 and boxes of exactly 30° per side', () => {
    for (const limit of ['1', '1000']) expect(liveIssues({ bbox: '-180,-90,-150,-60', limit })).toBe(0);
    expect(liveIssues({ bbox: '0,0,30.0000001,1' })).toBe(1);
    expect(liveIssues({ bbox: '0,0,1,30.0000001' })).toBe(1);
  });

  test('rejects a box across 180°, which takes two requests', () => {
    expect(upstreamLiveQuery('RX').safeParse({ bbox: '170,0,-170,1' }).error?.issues[0]?.message).toMatch(
      /two requests/,
    );
  });

  test('a cursor has the form of a public reference with the prefix', () => {
    expect(liveIssues({ bbox: '8,47,9,48', cursor })).toBe(0);
    for (const bad of ['', 'RX-A-1', cursor.replace('RX', 'RY'), `${cursor}x`]) {
      expect(liveIssues({ bbox: '8,47,9,48', cursor: bad })).toBe(1);
    }
  });

  test('rejects parameters of the other mode and unknown ones', () => {
    expect(liveIssues({ bbox: '8,47,9,48', start: formatInstant(now) })).toBe(1);
    expect(liveIssues({ bbox: '8,47,9,48', key: 'k' })).toBe(1);
  });
});

describe('a history query', () => {
  test('accepts exactly one hour ending now, and not a millisecond more', () => {
    expect(windowIssues(addMs(now, -HISTORY_MAX_WINDOW_MS), now)).toEqual([]);
    expect(windowIssues(addMs(now, -HISTORY_MAX_WINDOW_MS - 1), now)).toEqual([expect.stringMatching(/60 minutes/)]);
  });

  test('rejects a window that ends in the future, is empty or ends before it starts', () => {
    expect(windowIssues(addMs(now, -1000), addMs(now, 1))).toEqual([expect.stringMatching(/future/)]);
    expect(windowIssues(addMs(now, -1000), addMs(now, -1000))).toEqual([expect.stringMatching(/after start/)]);
    expect(windowIssues(now, addMs(now, -1))).toEqual([expect.stringMatching(/after start/)]);
  });

  test('reaches back 30 days and no further', () => {
    const oldest = addMs(now, -HISTORY_MAX_AGE_MS);
    expect(windowIssues(oldest, addMs(oldest, 1000))).toEqual([]);
    expect(windowIssues(addMs(oldest, -1), addMs(oldest, 1000))).toEqual([expect.stringMatching(/30 days/)]);
  });

  test('accepts boxes of up to 5° per side', () => {
    expect(windowIssues(addMs(now, -1000), now, '5,45,10,50')).toEqual([]);
    expect(windowIssues(addMs(now, -1000), now, '5,45,10.0000001,50')).toEqual([expect.stringMatching(/5 degrees/)]);
  });

  test('explains how to encode a + that arrived as a space', () => {
    const query = { bbox: '8,47,9,48', start: '2026-11-21T11:00:00 01:00', end: formatInstant(now) };
    expect(upstreamHistoryQuery(now).safeParse(query).error?.issues[0]?.message).toMatch(/%2B/);
  });

  test('has no cursor', () => {
    const query = { bbox: '8,47,9,48', start: formatInstant(addMs(now, -1000)), end: formatInstant(now), cursor };
    expect(upstreamHistoryQuery(now).safeParse(query).success).toBe(false);
  });
});
