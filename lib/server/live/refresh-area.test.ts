import { describe, expect, test } from 'vitest';
import type { Position } from '#lib/model/position.ts';
import { addMs, epochMs, localInstant, type UpstreamInstant, upstreamInstant } from '#lib/time/instant.ts';
import { plainPosition } from '../../model/plain-position.fixture.ts';
import type { PageOutcome } from '../upstream/page-outcome.ts';
import type { Page } from '../upstream/read-page.ts';
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

function page(positions: readonly Position[], nextCursor?: string, change: Partial<Page> = {}): PageOutcome {
  const whole: Page = {
    positions,
    unreadable: 0,
    nextCursor,
    cursorUnusable: false,
    generatedAt: at,
    requestId: 'r',
    truncated: false,
    ...change,
  };
  return { kind: 'page', page: whole };
}

/** Refreshes against an upstream that gives these answers, the last one again and again. */
async function refreshWith(...outcomes: [PageOutcome, ...PageOutcome[]]) {
  const asked: LivePageQuery[] = [];
  const readPage = async (query: LivePageQuery) => {
    asked.push(query);
    return outcomes[Math.min(asked.length, outcomes.length) - 1] as PageOutcome;
  };
  const { refresh, sizes } = await readAll(readPage);
  const positions = refresh.kind === 'unread' ? new Map() : refresh.read.positions;
  return { refresh, positions, refs: [...positions.keys()], cursors: asked.map(({ cursor }) => cursor), asked, sizes };
}

/** `sizes`: how many records were there after each page that was not the last. */
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
    const { refresh, refs, cursors, asked } = await refreshWith(
      page([position('a')], 'c1'),
      page([position('b')], 'c2'),
      page([position('c')]),
    );
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(new Set(asked.map(({ bbox, limit }) => JSON.stringify({ bbox, limit }))).size).toBe(1);
    expect(refs).toEqual(['a', 'b', 'c']);
    expect(refresh.kind).toBe('complete');
  });

  test('gives what it has after each page that another one follows', async () => {
    const { sizes, refs } = await refreshWith(
      page([position('a'), position('b')], 'c1'),
      page([position('b'), position('c')], 'c2'),
      page([position('d')]),
    );
    expect([sizes, refs.length]).toEqual([[2, 3], 4]);
  });

  test('a track that stands on two pages is kept once, with its newest observation, in whichever order they came', async () => {
    const [older, newer] = [position('a', at), position('a', addMs(at, 1000))];
    for (const order of [
      [older, newer],
      [newer, older],
    ] as const) {
      const { positions } = await refreshWith(page([order[0]], 'c1'), page([order[1]]));
      expect([...positions.values()]).toEqual([newer]);
    }
  });

  test('its age is that of the first page that was read', async () => {
    const later = addMs(at, 9000);
    const { refresh } = await refreshWith(page([], 'c1'), page([], undefined, { generatedAt: later }));
    expect(refresh).toMatchObject({ kind: 'complete', read: { fetchedAt: at } });
  });

  test('broken off on the way it keeps what was read, says why, and does not call it complete', async () => {
    const { refresh, refs } = await refreshWith(page([position('a')], 'c1'), blocked);
    expect(refs).toEqual(['a']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', cooldown: timedOut });
  });

  test('blocked at once it has read nothing: that has no age and is not an empty answer', async () => {
    const { refresh } = await refreshWith(blocked);
    expect(refresh).toEqual({ kind: 'unread', cooldown: timedOut });
  });

  test('a refused cursor restarts the refresh once without one, and what was read is kept', async () => {
    const { refresh, refs, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('b')]),
    );
    expect(cursors).toEqual([undefined, 'c1', undefined]);
    expect(refs).toEqual(['a', 'b']);
    expect(refresh.kind).toBe('complete');
  });

  test('a cursor that is refused a second time ends the refresh as interrupted', async () => {
    const { refresh, cursors } = await refreshWith(
      page([position('a')], 'c1'),
      cursorRefused,
      page([position('a')], 'c1'),
      cursorRefused,
    );
    expect(cursors).toEqual([undefined, 'c1', undefined, 'c1']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', cooldown: undefined });
  });

  test('cursors that go round in a circle are followed once', async () => {
    const { refresh, cursors } = await refreshWith(page([], 'c1'), page([], 'c2'), page([], 'c1'));
    expect(cursors).toEqual([undefined, 'c1', 'c2']);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_endless' });
  });

  test('cursors that never end are bounded, and the rest is called missing', async () => {
    let pages = 0;
    const readPage = async () => page([position(`t${pages}`)], `c${pages++}`);
    const { refresh } = await readAll(readPage);
    expect(pages).toBe(50);
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_endless', read: { pages: 50 } });
  });

  test('a next page that cannot be asked for is missing, and unreadable records add up over the pages', async () => {
    const { refresh } = await refreshWith(
      page([], 'c1', { unreadable: 2 }),
      page([], undefined, { unreadable: 1, cursorUnusable: true }),
    );
    expect(refresh).toMatchObject({ kind: 'partial', incomplete: 'pages_interrupted', read: { unreadable: 3 } });
  });
});
