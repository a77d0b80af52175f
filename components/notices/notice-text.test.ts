import { describe, expect, it, test } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import type { DisplaySummary } from '#lib/client/display/display-summary.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { addMs, localInstant, upstreamInstant } from '#lib/time/instant.ts';
import { ignoredText, pageNotices, replayTimeText } from './notice-text.ts';

const calm: DisplaySummary = {
  ...new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0).summary(),
  connection: { kind: 'connected' },
};
const sentences = (change: Partial<DisplaySummary>) =>
  pageNotices({ ...calm, ...change }).map(({ sentence }) => sentence);

describe('pageNotices', () => {
  it('says nothing while nothing is wrong', () => {
    expect(sentences({})).toEqual([]);
  });

  it('reads differently for a silent server, an offline browser and a lost session', () => {
    const since = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    const lost = (connection: DisplaySummary['connection']) => sentences({ connection });
    expect(lost({ kind: 'unreachable', since })).toEqual(['Lookout’s own server does not answer.']);
    expect(lost({ kind: 'database-lost', since })).toEqual(['Lookout’s database does not answer.']);
    expect(lost({ kind: 'offline' })).toEqual(['You are offline.']);
    expect(pageNotices({ ...calm, connection: { kind: 'signed-out' } })).toMatchObject([{ remedy: 'sign-in' }]);
  });

  it('never calls a failure of the page, or a refusal, a silent server', () => {
    for (const kind of ['unreadable', 'stopped', 'not-loaded'] as const) {
      const [notice] = pageNotices({ ...calm, connection: { kind } });
      expect(notice).toMatchObject({ key: kind, remedy: 'reload' });
      expect(notice?.sentence).not.toContain('server');
    }
    expect(pageNotices({ ...calm, connection: { kind: 'refused', status: 418 } })).toMatchObject([
      { sentence: 'Lookout’s own server, or a proxy before it, refused the request: status 418.', remedy: undefined },
    ]);
  });

  it('says how old the newest layer is while the connection is lost', () => {
    const now = upstreamInstant(Date.UTC(2026, 10, 21, 12, 4, 31));
    const { rid, adsb } = calm.layers;
    const layers = {
      rid: { ...rid, fetchedAt: addMs(now, -90_000) },
      adsb: { ...adsb, fetchedAt: addMs(now, -20_000) },
    };
    const offline = { ...calm, now, connection: { kind: 'offline' } } as const;
    expect(pageNotices({ ...offline, layers })).toMatchObject([{ age: 'Last update 20 s ago.' }]);
    expect(pageNotices(offline)).toEqual([
      { key: 'offline', tone: 'bad', sentence: 'You are offline.', remedy: undefined },
    ]);
  });

  it('says what is left out while it is', () => {
    expect(sentences({ capped: true })).toEqual(['Zoomed out too far: only the framed area is live.']);
  });

  it('leaves what is wrong with a layer to that layer, which says it once', () => {
    const trouble = { state: 'denied', reason: 'layer_not_approved', partial: true } as const;
    const layers = { rid: { ...calm.layers.rid, ...trouble }, adsb: { ...calm.layers.adsb, ...trouble } };
    expect(sentences({ layers })).toEqual([]);
  });

  it('says what is loaded of a replay, and nothing about the live layers', () => {
    const adsb = { ...calm.layers.adsb, partial: true };
    const past = {
      isPast: true,
      capped: true,
      connection: { kind: 'offline' },
      layers: { ...calm.layers, adsb },
    } as const;
    expect(sentences(past)).toEqual(['Only the framed area is loaded.']);
  });
});

test('names the value in which a link was cut once, apart from what else was ignored', () => {
  const text = ignoredText(['speeed', 'to'], 'to=2026-11-26T14:2');
  expect(text.match(/to=2026-11-26T14:2/g)).toHaveLength(1);
  expect(text).toMatch(/speeed\.$/);
  expect(ignoredText(['x'], undefined)).not.toContain('“');
  expect(ignoredText([], 'sel=AB-A-0')).toContain('“sel=AB-A-0”');
});

const now = upstreamInstant(Date.UTC(2026, 10, 21, 11, 4));

test('the replay time is in UTC, with how long ago it was, and with the date after 12 hours', () => {
  const text = (hour: number, day = 21) =>
    replayTimeText(upstreamInstant(Date.UTC(2026, 10, day, hour, 4)), now, 'utc');
  expect(text(10)).toBe('10:04:00Z · 1 h ago');
  expect(text(0)).toBe('00:04:00Z · 11 h ago');
  expect(text(23, 20)).toBe('2026-11-20 23:04:00Z · 12 h ago');
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42)), undefined, 'utc')).toBe(
    '2026-11-21 10:37:42Z',
  );
});

test('local time is added to UTC, never replaces it', () => {
  expect(replayTimeText(upstreamInstant(Date.UTC(2026, 10, 21, 10, 37, 42)), now, 'local')).toMatch(
    /^10:37:42Z · \d\d:37:42 [+-]\d\d:\d\d · /,
  );
});
