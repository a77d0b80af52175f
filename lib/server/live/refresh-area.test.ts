import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { UpstreamPage } from '../upstream/read-page.ts';
import type { LivePageQuery } from '../upstream/upstream-request.ts';
import { refreshArea } from './refresh-area.ts';

const at = upstreamInstant(Date.UTC(2026, 10, 21, 12));
const bbox = { west: 8, south: 47, east: 9, north: 48 };
const timedOut = { kind: 'timed', reason: 'service_timeout', until: localInstant(epochMs(at)) } as const;
const blocked: PageOutcome = { kind: 'blocked', cooldown: timedOut };
const cursorRefused: PageOutcome = { kind: 'cursor-refused' };

function position(ref: string, observedAt: UpstreamInstant = at): Position {
  return {
    ...plainPosition,
    ref,
    observedAt,
    lon: 8.5,
    lat: 47.5,
  };
}

function page(positions: readonly Position[], nextCursor?: string, change: Partial<UpstreamPage> = {}): PageOutcome {
  const whole: UpstreamPage = {
    positions,
    unreadable: 0,
    isUnreadable: false,
    unreadableValues: 0,
    nextCursor,
    cursorUnusable: false,
    generatedAt: at,
    requestId: 'r',
    truncated: false,
    ...change,
  };
  return { kind: 'page', page: whole };
}

async function refreshWith(...outcomes: [PageOutcome, ...PageOutcome[]]) {
  const queries: LivePageQuery[] = [];
  const readPage = async (query: LivePageQuery) => {
    queries.push(query);
    return outcomes[Math.min(queries.length, outcomes.length) - 1] as PageOutcome;
  };
  const { refresh, sizes } = await readAll(readPage);
  const positions = refresh.kind === 'unread' ? new Map() : refresh.read.positions;
  return {
    refresh,
    positions,
    refs: [...positions.keys()],
    cursors: queries.map(({ cursor }) => cursor),
    queries,
    sizes,
  };
}

/** `sizes`: records after each page but the last. */
async function readAll(readPage: Parameters<typeof refreshArea>[0]) {
  const sizes: number[] = [];
  const pages = refreshArea(readPage, bbox);
  for (;;) {
    const { done, value } = await pages.next();
    if (done) return { refresh: value, sizes };
    sizes.push(value.positions.size);
  }
}

describe('refreshArea', () => {
  test('repeats the same query with each exact cursor until there is none', async () => {
    const { refresh, refs, cursors, queries } = await refreshWith(
      page([position('a')], 'c1'),
      page([position('b')], 'c2'),
      page([position('c')]),
    );
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(new Set(queries.map(({ bbox, limit }) => JSON.stringify({ bbox, limit }))).size).toBe(1);
    expect(refs).toEqual(['a', 'b', 'c']);
    expect(refresh.kind).toBe('complete');
  });

  test('yields what it has after each page but the last', async () => {
    const { sizes, refs } = await refreshWith(
      page([position('a'), position('b')], 'c1'),
      page([position('b'), position('c')], 'c2'),
      page([position('d')]),
    );
    expect([sizes, refs.length]).toEqual([[2, 3], 4]);
  });

  test('keeps a track of two pages once, with its newest observation, in either order', async () => {
    const [older, newer] = [position('a', at), position('a', addMs(at, 1000))];
    for (const order of [
      [older, newer],
      [newer, older],
    ] as const) {
      const { positions } = await refreshWith(page([order[0]], 'c1'), page([order[1]]));
      expect([...positions.values()]).toEqual([newer]);
    }
  });

  test('has the age of its first page', async () => {
    const later = addMs(at, 9000);
    const { refresh } = await refreshWith(page([], 'c1'), page([], undefined, { generatedAt: later }));
    expect(refresh).toMatchObject({ kind: 'complete', read: { fetchedAt: at } });
  });

  test('keeps what was read when interrupted, with the reason, as partial', async () => {
    const { refresh, refs } = await refreshWith(page([position('a')], 'c1'), blocked);
    expect(refs).toEqual(['a']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', cooldown: timedOut });
  });

  test('has read nothing when blocked at once: no age, and not an empty answer', async () => {
    const { refresh } = await refreshWith(blocked);
    expect(refresh).toEqual({ kind: 'unread', cooldown: timedOut });
  });

  test('a rejected cursor restarts the refresh once without one, and keeps what was read', async () => {
    const { refresh, refs, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('b')]),
    );
    expect(cursors).toEqual([undefined, 'c1', undefined]);
    expect(refs).toEqual(['a', 'b']);
    expect(refresh.kind).toBe('complete');
  });

  test('a cursor rejected a second time ends the refresh as interrupted', async () => {
    const { refresh, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('a')], 'c1'),
      cursorRefused,
    );
    expect(cursors).toEqual([undefined, 'c1', undefined, 'c1']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', cooldown: undefined });
  });

  test('a cycle of cursors is followed once', async () => {
    const { refresh, cursors } = await refreshWith(page([], 'c1'), page([], 'c2'), page([], 'c1'));
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_endless' });
  });

  test('endless cursors are bounded, and the rest is reported as missing', async () => {
    let pages = 0;
    const readPage = async () => page([position(`t${pages}`)], `c${pages++}`);
    const { refresh } = await readAll(readPage);
    expect(pages).toBe(50);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_endless', read: { pages: 50 } });
  });

  test('a next page that cannot be requested is missing, and unreadable records add up over the pages', async () => {
    const { refresh } = await refreshWith(
      page([], 'c1', { unreadable: 2 }),
      page([], undefined, { unreadable: 1, cursorUnusable: true }),
    );
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', read: { unreadable: 3 } });
  });
});
